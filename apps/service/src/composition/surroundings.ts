import { mintId } from '@tunnel/models'
import pino, { type Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { ServiceConfig } from '../config.ts'
import { edgeLimits } from '../edge/limits.ts'
import { ProxiedConnections } from '../edge/proxy-protocol/proxied-connections.ts'
import { RawMetrics } from '../edge/raw/raw-metrics.ts'
import { AccountEvents } from '../events/account-events.ts'
import { StartedParts } from './lifecycle.ts'
import { type LogDestination, logDestination } from './log-destination.ts'

const standardError = 2

/** What all parts are given. */
export interface Surroundings {
  readonly config: ServiceConfig
  readonly log: Logger
  /** Where finished log lines go. */
  readonly logLines: LogDestination
  readonly metrics: Registry
  readonly parts: StartedParts
  /** What happens in each account, for those who follow it. */
  readonly events: AccountEvents
  readonly proxied: ProxiedConnections | null
  readonly rawMetrics: RawMetrics
}

export function createSurroundings(config: ServiceConfig): Surroundings {
  const logLines = logDestination(standardError)
  const log = pino({ name: 'service' }, logLines)
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  const { trustedProxies: trusted } = config
  return {
    config,
    log,
    logLines,
    metrics,
    parts: new StartedParts((part, error) => log.error({ part, err: error }, 'a part did not stop cleanly')),
    events: new AccountEvents(mintIdNow, Date.now),
    proxied: ProxiedConnections.open({ trusted, headerWithinMs: edgeLimits.proxyHeaderMs, metrics }),
    rawMetrics: new RawMetrics(metrics),
  }
}

/** An id that says when it was made. */
export function mintIdNow(prefix: string): string {
  return mintId(prefix, Date.now())
}
