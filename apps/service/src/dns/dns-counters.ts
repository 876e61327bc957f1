export type DnsEvent = 'udpQueries' | 'tcpQueries' | 'rateLimited' | 'failures' | 'sendFailed' | 'tcpRefused'

/** What happened since the start, without names or addresses. */
export class DnsCounters {
  readonly #counts = new Map<DnsEvent, number>()

  add(event: DnsEvent): void {
    this.#counts.set(event, this.count(event) + 1)
  }

  count(event: DnsEvent): number {
    return this.#counts.get(event) ?? 0
  }
}
