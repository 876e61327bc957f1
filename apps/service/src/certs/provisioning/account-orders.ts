import { OrderLimitReached } from './order-limit.ts'

const hourMs = 3_600_000
/** What public authorities grant our one account, some hundred orders an hour, is for all accounts of the service. */
export const ordersPerAccountMax = 50

/** The orders of each account within the last hour, of the process that places all of them: domains come and go, accounts stay. */
export class AccountOrders {
  readonly #atMs = new Map<string, readonly number[]>()

  /** Notes an order before it is placed. Throws `OrderLimitReached`. */
  note(accountId: string, nowMs: number): void {
    this.#forgetBefore(nowMs - hourMs)
    const recent = this.#atMs.get(accountId) ?? []
    const [oldest = nowMs] = recent
    if (recent.length >= ordersPerAccountMax) throw new OrderLimitReached('this account', oldest + hourMs)
    this.#atMs.set(accountId, [...recent, nowMs])
  }

  #forgetBefore(limitMs: number): void {
    for (const [accountId, times] of this.#atMs) {
      const recent = times.filter((atMs) => atMs > limitMs)
      if (recent.length === 0) this.#atMs.delete(accountId)
      else this.#atMs.set(accountId, recent)
    }
  }
}
