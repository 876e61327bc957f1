import { ServiceError } from '@tunnel/models'
import type { Command, CommandResult, Hello } from '@tunnel/session-protocol'

export type CommandKind = Command['command']
export type Capabilities = Hello['capabilities']

interface Pending {
  readonly id: string
  readonly kind: CommandKind
  readonly settle: (error: ServiceError | null) => void
}

const unsupported = {
  restart: 'command_restart_unsupported',
  stop: 'command_stop_unsupported',
  update: 'command_update_unsupported',
} as const

const failed = {
  restart: 'command_restart_failed',
  stop: 'command_stop_failed',
  update: 'command_update_failed',
} as const

/** The commands to one agent: one at a time, each answered or given up within a time limit. */
export class Commands {
  readonly #capabilities: Capabilities
  readonly #send: (command: Command) => void
  readonly #withinMs: number
  #pending: Pending | null = null

  constructor(capabilities: Capabilities, withinMs: number, send: (command: Command) => void) {
    this.#capabilities = capabilities
    this.#withinMs = withinMs
    this.#send = send
  }

  /**
   * Resolves when the agent has accepted. Throws `command_…_unsupported`, `command_…_failed` with the agent's reason,
   * `command_in_progress`, and `command_unanswered` when it may have been carried out or not.
   */
  run(id: string, kind: CommandKind, version?: string): Promise<void> {
    const reason = this.#capabilities[kind]
    if (reason !== '') return Promise.reject(new ServiceError(unsupported[kind], { reason }))
    if (this.#pending) return Promise.reject(new ServiceError('command_in_progress'))
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => this.abandon(), this.#withinMs)
      const settle = (error: ServiceError | null): void => {
        clearTimeout(deadline)
        this.#pending = null
        if (error) reject(error)
        else resolve()
      }
      this.#pending = { id, kind, settle }
      this.#send({ type: 'command', id, command: kind, ...(version !== undefined && { version }) })
    })
  }

  onResult({ id, error }: CommandResult): void {
    const pending = this.#pending
    if (!pending || pending.id !== id) return
    pending.settle(error ? new ServiceError(failed[pending.kind], { reason: error.message }) : null)
  }

  /** No answer will come any more. */
  abandon(): void {
    this.#pending?.settle(new ServiceError('command_unanswered'))
  }
}
