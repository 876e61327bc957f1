import type { Bind, SessionEnding } from '@tunnel/session-protocol'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { AgentSession, SessionFacts } from './agent-session.ts'
import { serviceErrorOf } from './session-error.ts'
import type { PublishEvent, SessionLog } from './sessions-deps.ts'

interface SessionJournalDeps {
  readonly log: SessionLog
  readonly registry: Registry
  readonly publish: PublishEvent
}

/** What happens to sessions, as log lines, figures and events. */
export class SessionJournal {
  readonly #log: SessionLog
  readonly #publish: PublishEvent
  readonly #welcomed: Counter
  readonly #refused: Counter
  readonly #binds: Counter
  readonly #ended: Counter

  constructor(
    { log, registry, publish }: SessionJournalDeps,
    online: () => { readonly sessions: number; readonly names: number },
  ) {
    this.#log = log
    this.#publish = publish
    const counter = (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers: [registry] })
    this.#welcomed = counter('sessions_welcomed_total', 'Hellos that were accepted')
    this.#refused = counter('sessions_refused_total', 'Hellos that were refused, by reason', ['reason'])
    this.#binds = counter('binds_total', 'Binds by result', ['result'])
    this.#ended = counter('sessions_ended_total', 'Ends of connections, by who ended them and why', ['by', 'code'])
    registerGauge(registry, 'sessions_online', 'Sessions that are online', () => online().sessions)
    registerGauge(registry, 'endpoints_online', 'Names that are served', () => online().names)
  }

  onWelcomed({ facts }: AgentSession): void {
    this.#welcomed.inc()
    this.#publish(facts.accountId, 'tunnel_session_started', { id: facts.id })
    const { hostname, agentVersion, update } = facts.hello
    this.#log.info({ ...idsOf(facts), ip: facts.ip, hostname, agentVersion, update }, 'session online')
  }

  onRefused(ip: string, error: unknown): void {
    this.#refused.inc({ reason: reasonOf(error) })
    this.#log.warn({ ip, reason: reasonOf(error), ...causeOf(error) }, 'session refused')
  }

  readonly onDisplaced = (older: AgentSession, newer: AgentSession): void => {
    const sameDevice = older.facts.hello.bootId === newer.facts.hello.bootId
    this.#log.info({ ...idsOf(older.facts), by: newer.facts.id, sameDevice }, 'session displaced')
  }

  readonly onBind = (facts: SessionFacts, { bindId, domain }: Bind, error: unknown): void => {
    this.#binds.inc({ result: error === null ? 'accepted' : reasonOf(error) })
    const fields = { ...idsOf(facts), bindId, domain }
    if (error === null) this.#log.info(fields, 'bind accepted')
    else this.#log.warn({ ...fields, reason: reasonOf(error), ...causeOf(error) }, 'bind refused')
  }

  onEnded(agent: AgentSession | null, ip: string, ending: SessionEnding): void {
    const { by, code, message, cause } = ending
    this.#ended.inc({ by, code: code ?? 'lost' })
    if (agent !== null) {
      const { accountId, id } = agent.facts
      this.#publish(accountId, 'tunnel_session_stopped', { id, by, code: code ?? 'lost', reason: message })
    }
    const fields = { ...(agent && idsOf(agent.facts)), ip, by, code, message }
    if (cause === undefined) this.#log.info(fields, 'session ended')
    else this.#log.warn({ ...fields, err: cause }, 'session ended by a failure of ours')
  }
}

function registerGauge(registry: Registry, name: string, help: string, value: () => number): void {
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(value()) })
}

function idsOf({ id, accountId, credentialId, clientId }: SessionFacts) {
  return { sessionId: id, accountId, credentialId, clientId }
}

function reasonOf(error: unknown): string {
  return serviceErrorOf(error)?.reason ?? 'internal_error'
}

/** What the log needs beside the reason: the failure itself when it is ours. */
function causeOf(error: unknown): { readonly err?: unknown } {
  return serviceErrorOf(error) ? {} : { err: error }
}
