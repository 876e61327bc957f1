import { retryDelayMs, type RetrySchedule } from '../../jobs/retry-schedule.ts'
import type { CertificateKeyType } from '../acme/certificate-key.ts'
import type { RenewalInfo } from '../acme/renewal-info.ts'
import type { Failure, FailureCode } from './failure.ts'
import { OrderLimitReached } from './order-limit.ts'
import { fallbackRenewalMs, latestRenewalMs, plannedRenewalMs, type Validity } from './renewal-plan.ts'
import { type CertificateSubject, isWanted } from './subject.ts'

/** What is known of the certificate in use, and how it is told apart from what is wanted. */
export interface HeldCertificate extends Validity {
  readonly id: string
  readonly names: readonly string[]
  readonly keyType: CertificateKeyType
  /** Null when the authority cannot be asked about its renewal. */
  readonly renewalId: string | null
}

/** A certificate being obtained, or a check that fails; shown as `provisioning_job`. */
interface ProvisioningJob {
  readonly startedAtMs: number
  /** Null while an attempt runs; found at start, it was interrupted. */
  readonly retriesAtMs: number | null
  readonly failure: { readonly code: FailureCode; readonly msg: string; readonly count: number } | null
}

/** Everything that outlives a restart about one subject. Times are epoch milliseconds. */
export interface CertificateState {
  readonly held: HeldCertificate | null
  readonly renewsAtMs: number | null
  /** When to ask the authority again for its renewal window; null: it offers none. */
  readonly renewalInfoAtMs: number | null
  readonly renewalInfoFailures: number
  /** When all DNS requirements were last seen fulfilled; null: never. */
  readonly confirmedAtMs: number | null
  readonly job: ProvisioningJob | null
  /** Orders of the last hour. */
  readonly ordersAtMs: readonly number[]
}

export const newState: CertificateState = {
  held: null,
  renewsAtMs: null,
  renewalInfoAtMs: null,
  renewalInfoFailures: 0,
  confirmedAtMs: null,
  job: null,
  ordersAtMs: [],
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** How often fulfilled requirements are looked at again. */
const recheckMs = 24 * hourMs
/** Public authorities allow five failed authorizations per name and hour. */
const ordersPerHourMax = 3
const renewalInfoFailuresMax = 3

const schedules: Record<FailureCode, RetrySchedule> = {
  INTERNAL_ERROR: { delaysMs: [minuteMs, 10 * minuteMs, 100 * minuteMs, 24 * hourMs], jitter: 0.1 },
  /** The customer may correct the record any minute, and looking costs nothing; after an hour they are away. */
  DNS_ERROR: { delaysMs: [5 * minuteMs, ...Array<number>(11).fill(5 * minuteMs), hourMs], jitter: 0.1 },
}

/** Whether a certificate must be ordered now. */
export function needsOrder(
  { held, renewsAtMs }: CertificateState,
  { certificate }: CertificateSubject,
  nowMs: number,
): boolean {
  if (certificate === null) return false
  if (held === null || !isWanted(certificate, held)) return true
  return renewsAtMs === null || renewsAtMs <= nowMs
}

/** When the subject needs attention next. */
export function dueAtMs({ job, confirmedAtMs, renewsAtMs, renewalInfoAtMs }: CertificateState): number {
  if (job !== null) return job.retriesAtMs ?? 0
  if (confirmedAtMs === null) return 0
  return Math.min(confirmedAtMs + recheckMs, renewsAtMs ?? Infinity, renewalInfoAtMs ?? Infinity)
}

export function withStartedJob(state: CertificateState, nowMs: number): CertificateState {
  return {
    ...state,
    job: { startedAtMs: state.job?.startedAtMs ?? nowMs, retriesAtMs: null, failure: state.job?.failure ?? null },
  }
}

/** Notes an order before it is placed. Throws `OrderLimitReached`. */
export function withOrder(state: CertificateState, nowMs: number): CertificateState {
  const recent = state.ordersAtMs.filter((atMs) => atMs > nowMs - hourMs)
  const [oldest = nowMs] = recent
  if (recent.length >= ordersPerHourMax) throw new OrderLimitReached('this resource', oldest + hourMs)
  return { ...state, ordersAtMs: [...recent, nowMs] }
}

/** The job waits. Why the orders of this resource failed says more than that there were enough of them. */
export function withPostponedJob(state: CertificateState, limit: OrderLimitReached): CertificateState {
  if (state.job === null) return state
  const known = limit.of === 'this resource' ? state.job.failure : null
  const failure = known ?? { code: 'INTERNAL_ERROR', msg: limit.message, count: 0 }
  return { ...state, job: { ...state.job, failure, retriesAtMs: limit.freeAtMs } }
}

export function withFailure(
  state: CertificateState,
  failure: Failure,
  nowMs: number,
  random: number,
): CertificateState {
  const { code, msg, retryAfterMs } = failure
  const count = state.job?.failure?.code === code ? state.job.failure.count + 1 : 1
  const delayMs = retryDelayMs(schedules[code], { failures: count, random, atLeastMs: retryAfterMs })
  const startedAtMs = state.job?.startedAtMs ?? nowMs
  return { ...state, job: { startedAtMs, retriesAtMs: nowMs + delayMs, failure: { code, msg, count } } }
}

/** All requirements are fulfilled: a job that only waited for them is over, one that obtains a certificate goes on. */
export function withConfirmation(state: CertificateState, nowMs: number): CertificateState {
  return { ...state, confirmedAtMs: nowMs }
}

export function withoutJob(state: CertificateState): CertificateState {
  return { ...state, job: null }
}

export function withCertificate(state: CertificateState, held: HeldCertificate, nowMs: number): CertificateState {
  const renewalInfoAtMs = held.renewalId === null ? null : nowMs
  return { ...withoutJob(state), held, renewsAtMs: fallbackRenewalMs(held), renewalInfoAtMs, renewalInfoFailures: 0 }
}

/** Management was switched off: nothing is held, nothing is due but the DNS requirements. */
export function withoutCertificate(state: CertificateState): CertificateState {
  return { ...newState, confirmedAtMs: state.confirmedAtMs, ordersAtMs: state.ordersAtMs }
}

export function withRenewalInfo(
  state: CertificateState,
  info: RenewalInfo | null,
  nowMs: number,
  random: number,
): CertificateState {
  if (info === null || state.held === null) return { ...state, renewalInfoAtMs: null }
  const renewsAtMs = Math.min(plannedRenewalMs(info, state.renewsAtMs, random), latestRenewalMs(state.held))
  return { ...state, renewsAtMs, renewalInfoAtMs: nowMs + info.askAgainInMs, renewalInfoFailures: 0 }
}

/** The plan stands for a while; when the authority stays silent, the age of the certificate decides. */
export function withoutRenewalInfo(state: CertificateState, nowMs: number): CertificateState {
  const failures = state.renewalInfoFailures + 1
  const renewsAtMs =
    failures >= renewalInfoFailuresMax && state.held !== null ? fallbackRenewalMs(state.held) : state.renewsAtMs
  return { ...state, renewsAtMs, renewalInfoFailures: failures, renewalInfoAtMs: nowMs + hourMs }
}
