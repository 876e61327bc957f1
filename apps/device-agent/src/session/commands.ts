import type { Command, CommandResult } from '@tunnel/session-protocol'

/** What the agent can be told to do from afar: `""` where it can, else the reason why not. */
export interface Capabilities {
  readonly restart: string
  readonly stop: string
  readonly update: string
}

/** A refusal in words that do not change; `code` is for programs. */
export interface CommandRefusal {
  readonly code: string
  readonly message: string
}

export interface CommandActions {
  readonly stop: () => void
  /** Null: it can be done now. */
  readonly checkRestart: () => Promise<CommandRefusal | null>
  readonly restart: () => void
  /** Begins an update, or tells why not. */
  readonly update: (version: string | null) => Promise<CommandRefusal | null>
}

const rememberedAnswersMax = 32

/** Carries out the service's commands: each is answered first, done once, and done after its answer has left. */
export class CommandHandler {
  readonly #capabilities: Capabilities
  readonly #actions: CommandActions
  readonly #answers = new Map<string, CommandResult>()

  constructor(capabilities: Capabilities, actions: CommandActions) {
    this.#capabilities = capabilities
    this.#actions = actions
  }

  async handle(command: Command, answer: (result: CommandResult) => void): Promise<void> {
    const known = this.#answers.get(command.id)
    if (known !== undefined) return answer(known)
    const error = this.#unsupported(command) ?? (await this.#check(command))
    const result: CommandResult = { type: 'commandResult', id: command.id, error }
    this.#remember(result)
    answer(result)
    if (error === null) this.#act(command)
  }

  #unsupported({ command }: Command): CommandRefusal | null {
    const reason = this.#capabilities[command]
    return reason === '' ? null : { code: 'unsupported', message: reason }
  }

  async #check({ command, version }: Command): Promise<CommandRefusal | null> {
    if (command === 'restart') return this.#actions.checkRestart()
    return command === 'update' ? this.#actions.update(version ?? null) : null
  }

  #act({ command }: Command): void {
    if (command === 'stop') this.#actions.stop()
    if (command === 'restart') this.#actions.restart()
  }

  #remember(result: CommandResult): void {
    this.#answers.set(result.id, result)
    const [oldest] = this.#answers.keys()
    if (this.#answers.size > rememberedAnswersMax && oldest !== undefined) this.#answers.delete(oldest)
  }
}
