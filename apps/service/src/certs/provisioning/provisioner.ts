import { AccountOrders } from './account-orders.ts'
import { AcmeError } from '../acme/acme-error.ts'
import type { WantedIssue } from '../acme/acme-connection.ts'
import type { ChallengePresenter, IssuedCertificate } from '../acme/issue.ts'
import type { RenewalInfo } from '../acme/renewal-info.ts'
import {
  type CertificateState,
  needsOrder,
  newState,
  withCertificate,
  withConfirmation,
  withFailure,
  withOrder,
  withoutCertificate,
  withoutJob,
  withoutRenewalInfo,
  withPostponedJob,
  withRenewalInfo,
  withStartedJob,
} from './certificate-state.ts'
import { type CheckedCertificate, checkIssued } from './check-issued.ts'
import { failureOf } from './failure.ts'
import { OrderLimitReached } from './order-limit.ts'
import { type AuthorityIdentity, checkCaa, checkRequirements, type NameLookup } from './preflight.ts'
import { type CertificateSubject, isWanted, type ProofMethod, type WantedCertificate } from './subject.ts'

/** The resources that have names to look after. */
export interface Subjects {
  /** Null when it is gone. */
  find(id: string): Promise<CertificateSubject | null>
  /** All DNS requirements of the subject are fulfilled: its zone may be served. */
  confirmed(id: string): Promise<void>
}

/** One state per subject; `save` returns false when it was changed since it was read. */
export interface CertificateStates {
  /** All states by subject, for the start. */
  all(): Promise<ReadonlyMap<string, CertificateState>>
  read(id: string): Promise<{ readonly state: CertificateState; readonly revision: number } | null>
  /** `revision` null: the first state. Returns the new revision, null when somebody else was faster. */
  save(id: string, state: CertificateState, revision: number | null): Promise<number | null>
  remove(id: string): Promise<void>
}

/** Where issued certificates go to be served. */
export interface IssuedCertificates {
  /** Stores a certificate of the subject and returns its id; it is served once a state holds it. */
  store(subjectId: string, certificate: CheckedCertificate): Promise<string>
  /** Removes one that no state holds any more. */
  discard(certificateId: string): Promise<void>
}

/** The authority that certificates come from. */
interface CertificateAuthority {
  issue(wanted: WantedIssue, presenter: ChallengePresenter, signal: AbortSignal): Promise<IssuedCertificate>
  /** Null when it says nothing about renewals. */
  renewalInfo(renewalId: string): Promise<RenewalInfo | null>
  identity(): Promise<AuthorityIdentity>
  /** It may have lost our account; the next request registers again. */
  forgetAccount(): void
}

export interface ProvisionerOptions {
  readonly subjects: Subjects
  readonly states: CertificateStates
  readonly certificates: IssuedCertificates
  readonly lookup: NameLookup
  readonly authority: CertificateAuthority
  readonly presenterFor: (proof: ProofMethod) => ChallengePresenter
  readonly nowMs: () => number
  /** 0 ≤ n < 1. */
  readonly random: () => number
  /** What is known of a subject has changed; null when it is gone. Told before the certificate held earlier is discarded. */
  readonly onState: (subjectId: string, state: CertificateState | null) => void
  readonly onFailure: (subjectId: string, error: unknown) => void
}

/** Somebody else changed the state meanwhile; the next run starts from what is stored. */
class StateChanged extends Error {
  override readonly name = 'StateChanged'
}

/** Brings one subject a step further: checks its DNS records, orders or renews its certificate, plans what is next. */
export class Provisioner {
  readonly #options: ProvisionerOptions
  readonly #accountOrders = new AccountOrders()

  constructor(options: ProvisionerOptions) {
    this.#options = options
  }

  /** Returns the state to wait with, null when the subject is gone. Failures become part of the state. */
  async run(id: string, signal: AbortSignal): Promise<CertificateState | null> {
    const { subjects, states } = this.#options
    const subject = await subjects.find(id)
    const progress = new Progress(id, states, await states.read(id))
    if (subject === null) {
      await this.#forget(id, progress.state)
      return null
    }
    const isSwitchedOff = subject.certificate === null && progress.state.held !== null
    if (isSwitchedOff) await this.#replaceHeld(id, progress, withoutCertificate(progress.state))
    try {
      await this.#advance(subject, progress, signal)
    } catch (error) {
      // A stopping service is no failure of the job: the next start goes on with it.
      if (error instanceof StateChanged || signal.aborted) throw error
      await progress.save(this.#afterFailure(id, progress.state, error))
    }
    return progress.state
  }

  #afterFailure(id: string, state: CertificateState, error: unknown): CertificateState {
    const { authority, nowMs, random, onFailure } = this.#options
    if (error instanceof OrderLimitReached) return withPostponedJob(state, error)
    onFailure(id, error)
    authority.forgetAccount()
    return withFailure(state, failureOf(error), nowMs(), random())
  }

  async #forget(id: string, { held }: CertificateState): Promise<void> {
    await this.#options.states.remove(id)
    if (held !== null) await this.#options.certificates.discard(held.id)
  }

  /** The old certificate serves until the new state is stored. */
  async #replaceHeld(id: string, progress: Progress, next: CertificateState): Promise<void> {
    const { held } = progress.state
    await progress.save(next)
    this.#options.onState(id, next)
    if (held !== null) await this.#options.certificates.discard(held.id)
  }

  async #advance(subject: CertificateSubject, progress: Progress, signal: AbortSignal): Promise<void> {
    const { nowMs, lookup, subjects } = this.#options
    const isOrderDue = needsOrder(progress.state, subject, nowMs())
    if (isOrderDue) await progress.save(withStartedJob(progress.state, nowMs()))
    await checkRequirements(subject, lookup)
    await subjects.confirmed(subject.id)
    const confirmed = withConfirmation(progress.state, nowMs())
    await progress.save(isOrderDue ? confirmed : withoutJob(confirmed))
    if (isOrderDue && subject.certificate !== null) await this.#obtain(subject, subject.certificate, progress, signal)
    await this.#askRenewalInfo(progress)
  }

  async #obtain(
    { id, accountId }: CertificateSubject,
    wanted: WantedCertificate,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    const { authority, presenterFor, lookup, nowMs, subjects, certificates } = this.#options
    await checkCaa(wanted, await authority.identity(), lookup)
    const ordered = withOrder(progress.state, nowMs())
    const replaces = progress.state.held?.renewalId ?? null
    // Authorities do not count renewals that name the old certificate (RFC 9773 5).
    if (accountId !== null && replaces === null) this.#accountOrders.note(accountId, nowMs())
    await progress.save(ordered)
    const issued = await authority.issue({ ...wanted, replaces }, presenterFor(wanted.proof), signal)
    const checked = checkIssued(issued, wanted.names, nowMs())
    const current = (await subjects.find(id))?.certificate
    // Cancelled or changed while the order ran: what it brought must not be used.
    if (!current || !isWanted(current, wanted)) return
    const { names, keyType } = wanted
    const { notBeforeMs, notAfterMs, renewalId } = checked
    const held = { id: await certificates.store(id, checked), names, keyType, notBeforeMs, notAfterMs, renewalId }
    await this.#replaceHeld(id, progress, withCertificate(progress.state, held, nowMs()))
  }

  async #askRenewalInfo(progress: Progress): Promise<void> {
    const { authority, nowMs, random } = this.#options
    const { held, renewalInfoAtMs } = progress.state
    if (!held?.renewalId || renewalInfoAtMs === null || renewalInfoAtMs > nowMs()) return
    try {
      const info = await authority.renewalInfo(held.renewalId)
      await progress.save(withRenewalInfo(progress.state, info, nowMs(), random()))
    } catch (error) {
      if (!(error instanceof AcmeError)) throw error
      await progress.save(withoutRenewalInfo(progress.state, nowMs()))
    }
  }
}

/** The state of one run, saved step by step. */
class Progress {
  readonly #id: string
  readonly #states: CertificateStates
  #revision: number | null
  state: CertificateState

  constructor(id: string, states: CertificateStates, stored: Awaited<ReturnType<CertificateStates['read']>>) {
    this.#id = id
    this.#states = states
    this.#revision = stored?.revision ?? null
    this.state = stored?.state ?? newState
  }

  async save(state: CertificateState): Promise<void> {
    const revision = await this.#states.save(this.#id, state, this.#revision)
    if (revision === null) throw new StateChanged(this.#id)
    this.#revision = revision
    this.state = state
  }
}
