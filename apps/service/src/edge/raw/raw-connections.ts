import type { Socket } from 'node:net'
import { asServiceError } from '../failures/as-service-error.ts'
import type { ExchangeObserver } from '../access-log.ts'
import type { AccountFilters } from '../edge-route.ts'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import { requireAllowed } from '../require-allowed.ts'
import { visitorOf } from '../visitor/visitor.ts'
import { passConnectRules } from './connect-rules.ts'
import { Splice } from './splice.ts'

export interface RawDeps {
  readonly observers: readonly ExchangeObserver[]
  readonly restrictions: AccountFilters
  /** Identifier of this process's region, for policies. */
  readonly region: string
}

/** Joins a visitor's connection with a new stream of a tunnel, byte for byte. `first` was read from the visitor before. */
export function joinRaw(
  socket: Socket,
  tunnel: EdgeTunnel,
  first: Buffer,
  host: string,
  { observers, restrictions, region }: RawDeps,
): void {
  const visitor = visitorOf(socket)
  const startedAt = performance.now()
  const tally = { requestBytes: 0, responseBytes: 0 }
  const finish = (failure?: unknown) => {
    const durationMs = performance.now() - startedAt
    const known = {
      visitor,
      method: 'RAW',
      host,
      target: '',
      status: 0,
      tunnelId: tunnel.id,
      accountId: tunnel.accountId,
    }
    const outcome = {
      failure: failure === undefined ? undefined : asServiceError(failure),
      isComplete: failure === undefined,
    }
    for (const observer of observers) observer.onFinished({ ...known, ...tally, ...outcome, durationMs })
  }
  try {
    requireAllowed(restrictions.find(tunnel.accountId), visitor.ip)
    passConnectRules(tunnel, visitor, region)
    const stream = tunnel.openStream({ visitorAddress: visitor.address, kind: 'raw' })
    const splice = new Splice(socket, tally)
    if (first.length > 0) stream.write(first)
    splice.begin(stream, Buffer.alloc(0))
    stream.attach(splice)
    socket.on('close', () => finish())
  } catch (error) {
    socket.resetAndDestroy()
    finish(error)
  }
}
