/** Our own limit, which keeps us below those of the authority. */
export class OrderLimitReached extends Error {
  override readonly name = 'OrderLimitReached'
  readonly of: 'this resource' | 'this account'
  readonly freeAtMs: number

  constructor(of: 'this resource' | 'this account', freeAtMs: number) {
    super(`No more certificates are ordered for ${of} within an hour. The next order is placed without your doing.`)
    this.of = of
    this.freeAtMs = freeAtMs
  }
}
