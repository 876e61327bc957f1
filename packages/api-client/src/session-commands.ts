import { tunnelSessionModel } from '@tunnel/models'
import type { Transport } from './transport.ts'

/** Commands to the agent of one session. Each resolves when the agent has accepted it; what follows takes its time. */
export class SessionCommands {
  readonly #transport: Transport
  readonly #path: string

  constructor(transport: Transport, id: string) {
    this.#transport = transport
    this.#path = `${tunnelSessionModel.path}/${encodeURIComponent(id)}`
  }

  /** The agent comes back under a new session id. */
  async restart(): Promise<void> {
    await this.#transport.send('POST', `${this.#path}/restart`, {})
  }

  async stop(): Promise<void> {
    await this.#transport.send('POST', `${this.#path}/stop`, {})
  }

  /** To the newest version within the agent's major version, or to the given one; wait 10 seconds before a restart. */
  async update(version?: string): Promise<void> {
    await this.#transport.send('POST', `${this.#path}/update`, version === undefined ? {} : { version })
  }
}
