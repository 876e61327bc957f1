/** What an account's tunnels carried in one interval. */
export interface TrafficSample {
  readonly at: string
  readonly interval_ms: number
  readonly requests: number
  readonly errors: number
  readonly bytes_in: number
  readonly bytes_out: number
}

interface Exchange {
  readonly status: number
  readonly requestBytes: number
  readonly responseBytes: number
  readonly accountId: string | undefined
}

interface Totals {
  requests: number
  errors: number
  bytes_in: number
  bytes_out: number
}

const intervalMs = 5_000

/** Adds up the traffic of each account and reports it while somebody follows. */
export class TrafficMeter implements AsyncDisposable {
  readonly #totals = new Map<string, Totals>()
  readonly #timer: NodeJS.Timeout

  /** `report` is called for each account that had traffic or is in `followed`. */
  constructor(followed: () => Iterable<string>, report: (accountId: string, sample: TrafficSample) => void) {
    this.#timer = setInterval(() => this.#reportAll(followed(), report), intervalMs)
    this.#timer.unref()
  }

  onFinished({ accountId, status, requestBytes, responseBytes }: Exchange): void {
    if (accountId === undefined) return
    let totals = this.#totals.get(accountId)
    if (totals === undefined) this.#totals.set(accountId, (totals = noTraffic()))
    totals.requests += 1
    totals.errors += status >= 500 ? 1 : 0
    totals.bytes_in += requestBytes
    totals.bytes_out += responseBytes
  }

  #reportAll(followed: Iterable<string>, report: (accountId: string, sample: TrafficSample) => void): void {
    const at = new Date().toISOString()
    for (const accountId of followed)
      report(accountId, { at, interval_ms: intervalMs, ...(this.#totals.get(accountId) ?? noTraffic()) })
    this.#totals.clear()
  }

  [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    return Promise.resolve()
  }
}

function noTraffic(): Totals {
  return { requests: 0, errors: 0, bytes_in: 0, bytes_out: 0 }
}
