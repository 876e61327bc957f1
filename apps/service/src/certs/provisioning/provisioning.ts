import { DueTimes } from '../../jobs/due-times.ts'
import { KeyedRunner } from '../../jobs/keyed-runner.ts'
import { type CertificateState, dueAtMs } from './certificate-state.ts'
import { Provisioner, type ProvisionerOptions } from './provisioner.ts'
import { isWanted } from './subject.ts'

export interface ProvisioningOptions extends ProvisionerOptions {
  /** Every subject that exists, to begin with. */
  readonly subjectIds: () => Promise<readonly string[]>
}

/**
 * Most of a run is waiting: the slow DNS of some customers must not hold up the others. Few enough that their RSA keys, each
 * 0.1 s on one of the four threads that files and names are read with, hold up nobody either.
 */
const parallelMax = 8
const afterConflictMs = 60_000

/** Looks after all subjects: runs each one when it is due, one run at a time per subject. A restart loses nothing. */
export class Provisioning implements AsyncDisposable {
  readonly #options: ProvisioningOptions
  readonly #provisioner: Provisioner
  readonly #runner = new KeyedRunner({ parallelMax })
  readonly #dueTimes: DueTimes
  /** Subjects that changed while they were worked on. */
  readonly #changed = new Set<string>()
  readonly #active = new Set<string>()

  private constructor(options: ProvisioningOptions) {
    this.#options = options
    this.#provisioner = new Provisioner(options)
    this.#dueTimes = new DueTimes({ nowMs: options.nowMs, onDue: (id) => this.#start(id) })
  }

  /** Takes up what the last process left: interrupted work at once, the rest at its time. */
  static async start(options: ProvisioningOptions): Promise<Provisioning> {
    const provisioning = new Provisioning(options)
    const states = await options.states.all()
    for (const id of await options.subjectIds()) await provisioning.#takeUp(id, states.get(id))
    return provisioning
  }

  /** A subject was created, changed or deleted: look at it now. */
  notice(id: string): void {
    if (this.#active.has(id)) this.#changed.add(id)
    else this.#start(id)
  }

  /** How many subjects wait for a time to come. */
  get waiting(): number {
    return this.#dueTimes.size
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#dueTimes[Symbol.dispose]()
    await this.#runner[Symbol.asyncDispose]()
  }

  async #takeUp(id: string, state: CertificateState | undefined): Promise<void> {
    const isDue = state === undefined || (await this.#isOutdated(id, state))
    this.#dueTimes.set(id, isDue ? 0 : dueAtMs(state))
  }

  /** What is wanted may have changed with the configuration: a region more, and an ingress has more names. */
  async #isOutdated(id: string, { job, held }: CertificateState): Promise<boolean> {
    if (job !== null || held === null) return false
    const wanted = (await this.#options.subjects.find(id))?.certificate
    return wanted !== null && wanted !== undefined && !isWanted(wanted, held)
  }

  #start(id: string): void {
    this.#dueTimes.set(id, null)
    this.#active.add(id)
    void this.#runInTurn(id).finally(() => {
      this.#active.delete(id)
      if (this.#changed.delete(id)) this.#start(id)
    })
  }

  /** Accounts take turns: one whose many domains have no working DNS holds up itself alone. */
  async #runInTurn(id: string): Promise<void> {
    const owner = await this.#options.subjects.find(id).then(
      (subject) => subject?.accountId ?? '',
      () => '',
    )
    await this.#runner.submit(id, owner, (signal) => this.#run(id, signal))
  }

  async #run(id: string, signal: AbortSignal): Promise<void> {
    try {
      const state = await this.#provisioner.run(id, signal)
      this.#options.onState(id, state)
      this.#dueTimes.set(id, state === null ? null : dueAtMs(state))
    } catch (error) {
      if (signal.aborted) return
      this.#options.onFailure(id, error)
      this.#dueTimes.set(id, this.#options.nowMs() + afterConflictMs)
    }
  }
}
