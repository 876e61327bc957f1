import type { Adapter } from 'lowdb'
import { initialUpdateState, type UpdateState } from './update-state.ts'

/** The update state in memory and on the disk. */
export class UpdateStateKeeper {
  readonly #file: Adapter<UpdateState>
  #current: UpdateState

  private constructor(file: Adapter<UpdateState>, current: UpdateState) {
    this.#file = file
    this.#current = current
  }

  static async open(file: Adapter<UpdateState>): Promise<UpdateStateKeeper> {
    return new UpdateStateKeeper(file, (await file.read()) ?? initialUpdateState)
  }

  get current(): UpdateState {
    return this.#current
  }

  /** Settles when the change is on the disk; only then does it show. @throws Error of the disk */
  async change(edit: (state: UpdateState) => UpdateState): Promise<void> {
    const next = edit(this.#current)
    await this.#file.write(next)
    this.#current = next
  }
}
