import pino from 'pino'
import type { ServiceConfig } from './config.ts'
import { StartedParts } from './lifecycle.ts'

const partStopWithinMs = 12_000

/** A public or private listener, as printed at start: `listening NAME URL`. */
export interface Listener {
  readonly name: 'api' | 'edge-http' | 'edge-https' | 'dns'
  readonly url: string
}

/** The running service. Disposing it drains: no new sessions, running requests finish, then the rest in reverse order. */
export interface Service extends AsyncDisposable {
  readonly listeners: readonly Listener[]
}

/** Builds all parts, connects them, and starts them in the order in which they need each other. */
export async function startService(config: ServiceConfig): Promise<Service> {
  const log = pino({ name: 'service' }, pino.destination({ dest: 2, sync: false }))
  const parts = new StartedParts((part, error) => log.error({ part, err: error }, 'a part did not stop cleanly'))
  const listeners: Listener[] = []
  await Promise.resolve()
  log.info({ zone: config.zone, region: config.region }, 'starting')
  return { listeners, [Symbol.asyncDispose]: () => parts.stop(partStopWithinMs) }
}
