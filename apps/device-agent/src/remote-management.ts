import type { Config } from './config.ts'
import type { Capabilities, CommandActions, CommandRefusal } from './session/commands.ts'
import { readAuthtoken } from './session/hello.ts'

/** What the service has told this agent to do with itself. */
export type AgentEnd = 'stop' | 'restart'

/** What the agent lets the service do with it. */
export class RemoteManagement implements CommandActions {
  readonly capabilities: Capabilities
  /** Settles when the agent shall end. */
  readonly told: Promise<AgentEnd>
  readonly #config: Config
  #tell: (end: AgentEnd) => void = () => undefined

  /** @param restartHindrance why this process cannot be started anew, or `""` */
  constructor(config: Config, restartHindrance: string) {
    this.#config = config
    this.told = new Promise((resolve) => (this.#tell = resolve))
    const off = config.isRemoteManagementOn ? '' : 'remote management is turned off on this agent'
    this.capabilities = { stop: off, restart: off || restartHindrance, update: off }
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

  async update(): Promise<CommandRefusal | null> {
    return { code: 'no_update_available', message: 'no update is available' }
  }
}
