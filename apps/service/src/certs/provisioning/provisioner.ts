import { AcmeError } from '../acme/acme-error.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import { type ChallengePresenter, type IssuedCertificate, issueCertificate } from '../acme/issue.ts'
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
  withRenewalInfo,
  withStartedJob,
} from './certificate-state.ts'
import { type CheckedCertificate, checkIssued } from './check-issued.ts'
import { failureOf } from './failure.ts'
import { checkCaa, checkRequirements, type NameLookup } from './preflight.ts'
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
  read(id: string): Promise<{ readonly state: CertificateState; readonly revision: number } | null>
  /** `revision` null: the first state. Returns the new revision, null when somebody else was faster. */
  save(id: string, state: CertificateState, revision: number | null): Promise<number | null>
  remove(id: string): Promise<void>
}

/** Where issued certificates go to be served. */
export interface IssuedCertificates {
  /** Replaces what the subject has; returns the id of the certificate. */
  attach(subjectId: string, certificate: CheckedCertificate): Promise<string>
  detach(subjectId: string): Promise<void>
}

export interface ProvisionerOptions {
  readonly subjects: Subjects
  readonly states: CertificateStates
  readonly certificates: IssuedCertificates
  readonly lookup: NameLookup
  readonly acme: {
    client(): Promise<AcmeClient>
    identities(): Promise<readonly string[]>
    readonly profile: string | null
  }
  readonly presenterFor: (proof: ProofMethod) => ChallengePresenter
  readonly nowMs: () => number
  /** 0 ≤ n < 1. */
  readonly random: () => number
  readonly onFailure: (subjectId: string, error: unknown) => void
}

/** Somebody else changed the state meanwhile; the next run starts from what is stored. */
export class StateChanged extends Error {
  override readonly name = 'StateChanged'
}

/** Brings one subject a step further: checks its DNS records, orders or renews its certificate, plans what is next. */
export class Provisioner {
  readonly #options: ProvisionerOptions

  constructor(options: ProvisionerOptions) {
    this.#options = options
  }

  /** Returns the state to wait with, null when the subject is gone. Failures become part of the state. */
  async run(id: string, signal: AbortSignal): Promise<CertificateState | null> {
    const { subjects, states } = this.#options
    const subject = await subjects.find(id)
    if (subject === null) {
      await states.remove(id)
      return null
    }
    const progress = new Progress(id, states, await states.read(id))
    if (subject.certificate === null && progress.state.held !== null) await this.#switchOff(id, progress)
    try {
      await this.#advance(subject, progress, signal)
    } catch (error) {
      // A stopping service is no failure of the job: the next start goes on with it.
      if (error instanceof StateChanged || signal.aborted) throw error
      this.#options.onFailure(id, error)
      await progress.save(withFailure(progress.state, failureOf(error), this.#options.nowMs(), this.#options.random()))
    }
    return progress.state
  }

  async #switchOff(id: string, progress: Progress): Promise<void> {
    await this.#options.certificates.detach(id)
    await progress.save(withoutCertificate(progress.state))
  }

  async #advance(subject: CertificateSubject, progress: Progress, signal: AbortSignal): Promise<void> {
    const { nowMs, lookup, subjects } = this.#options
    const isOrderDue = needsOrder(progress.state, subject, nowMs())
    if (isOrderDue) await progress.save(withStartedJob(progress.state, nowMs()))
    await checkRequirements(subject, lookup)
    await subjects.confirmed(subject.id)
    const confirmed = withConfirmation(progress.state, nowMs())
    await progress.save(isOrderDue ? confirmed : withoutJob(confirmed))
    if (isOrderDue && subject.certificate !== null)
      await this.#obtain(subject.id, subject.certificate, progress, signal)
    await this.#askRenewalInfo(progress)
  }

  async #obtain(id: string, wanted: WantedCertificate, progress: Progress, signal: AbortSignal): Promise<void> {
    const { acme, lookup, nowMs, subjects, certificates } = this.#options
    const client = await acme.client()
    await checkCaa(wanted, { identities: await acme.identities(), accountUrl: client.account.identity.kid }, lookup)
    await progress.save(withOrder(progress.state, nowMs()))
    const issued = checkIssued(await this.#order(client, wanted, progress.state, signal), wanted.names, nowMs())
    const current = (await subjects.find(id))?.certificate
    // Cancelled or changed while the order ran: what it brought must not be used.
    if (!current || !isWanted(current, wanted)) return
    const certificateId = await certificates.attach(id, issued)
    const { notBeforeMs, notAfterMs, renewalId } = issued
    const held = { id: certificateId, names: wanted.names, keyType: wanted.keyType, notBeforeMs, notAfterMs, renewalId }
    await progress.save(withCertificate(progress.state, held, nowMs()))
  }

  async #order(
    client: AcmeClient,
    wanted: WantedCertificate,
    { held }: CertificateState,
    signal: AbortSignal,
  ): Promise<IssuedCertificate> {
    const { names, keyType, proof } = wanted
    const conversation = { client, presenter: this.#options.presenterFor(proof), signal }
    const request = { names, keyType, profile: this.#options.acme.profile, replaces: held?.renewalId ?? null }
    try {
      return await issueCertificate(conversation, request)
    } catch (error) {
      // Another order was told to replace the same certificate (RFC 9773 5).
      const isReplaced = error instanceof AcmeError && error.step === 'order' && error.problem?.status === 409
      if (!isReplaced || request.replaces === null) throw error
      return issueCertificate(conversation, { ...request, replaces: null })
    }
  }

  async #askRenewalInfo(progress: Progress): Promise<void> {
    const { acme, nowMs, random } = this.#options
    const { held, renewalInfoAtMs } = progress.state
    if (!held?.renewalId || renewalInfoAtMs === null || renewalInfoAtMs > nowMs()) return
    try {
      const client = await acme.client()
      const info = await client.renewalInfo(held.renewalId)
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
