export const dnsEvents = ['udpQueries', 'tcpQueries', 'rateLimited', 'failures', 'sendFailed', 'tcpRefused'] as const
type DnsEvent = (typeof dnsEvents)[number]

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
