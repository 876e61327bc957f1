import type { Config } from './config.ts'
import type { Capabilities, CommandActions, CommandRefusal } from './session/commands.ts'
import { readAuthtoken } from './session/hello.ts'

/** What this agent has been told to do with itself. */
export type AgentEnd = 'stop' | 'restart'

/** Why something cannot be done here, or `""`. */
export interface Hindrances {
  readonly restart: string
  readonly update: string
}

/** What the agent lets the service do with it. */
export class RemoteManagement implements CommandActions {
  readonly capabilities: Capabilities
  /** Settles when the agent shall end. */
  readonly told: Promise<AgentEnd>
  readonly #config: Config
  readonly #beginUpdate: () => Promise<CommandRefusal | null>
  #tell: (end: AgentEnd) => void = () => undefined

  constructor(config: Config, hindrances: Hindrances, beginUpdate: () => Promise<CommandRefusal | null>) {
    this.#config = config
    this.#beginUpdate = beginUpdate
    this.told = new Promise((resolve) => (this.#tell = resolve))
    const off = config.isRemoteManagementOn ? '' : 'remote management is turned off on this agent'
    this.capabilities = { stop: off, restart: off || hindrances.restart, update: off || hindrances.update }
  }

  stop(): void {
    this.#tell('stop')
  }

  restart(): void {
    this.#tell('restart')
  }

  /** A restart that cannot succeed would lose the device. */
  async checkRestart(): Promise<CommandRefusal | null> {
    try {
      await readAuthtoken(this.#config.authtoken)
      return null
    } catch (error) {
      return { code: 'configuration_unusable', message: (error as Error).message }
    }
  }

  update(): Promise<CommandRefusal | null> {
    return this.#beginUpdate()
  }
}
