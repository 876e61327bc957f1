import { ServiceError } from '@tunnel/models'
import type { Hello, ServiceSideSession } from '@tunnel/session-protocol'
import { defaultLimits, PROTOCOL_VERSION } from '@tunnel/session-protocol'
import type { Answer } from './agent-connection.ts'
import type { AgentIdentities } from './agent-identity.ts'
import { AgentSession, type AgentSessionDeps } from './agent-session.ts'
import type { AuthtokenVerifier, VerifiedAuthtoken } from './authtoken-verifier.ts'
import type { SessionsLimits } from './limits.ts'
import type { OnlineSessions } from './online-sessions.ts'
import type { AnonymousPeer } from './session-listener.ts'
import { serviceErrorOf, toSessionError } from './session-error.ts'

export interface GreeterDeps {
  readonly authtokens: AuthtokenVerifier
  readonly identities: AgentIdentities
  readonly online: OnlineSessions
  readonly admitsAgent: (accountId: string, ip: string) => boolean
  readonly limits: SessionsLimits
  readonly sessionDeps: AgentSessionDeps
  readonly zone: string
  readonly region: string
  readonly mintId: (prefix: string) => string
  readonly wallMs: () => number
  readonly random: () => number
  readonly journal: {
    onRefused(ip: string, error: unknown): void
    onWelcomed(agent: AgentSession): void
  }
}

/** Decides about hellos, and answers them with welcome or refused. */
export class Greeter {
  readonly #deps: GreeterDeps

  constructor(deps: GreeterDeps) {
    this.#deps = deps
  }

  async check(hello: Hello, { ip, onlyAccountId }: Pick<AnonymousPeer, 'ip' | 'onlyAccountId'>): Promise<Answer> {
    try {
      requireVersion(hello)
      const verified = await this.#deps.authtokens.verify(hello.authtoken)
      if (onlyAccountId !== null && verified.accountId !== onlyAccountId)
        throw new ServiceError('ingress_of_other_account')
      if (!this.#deps.admitsAgent(verified.accountId, ip))
        throw new ServiceError('agent_address_refused', { address: ip })
      return (session) => this.#admit(session, hello, verified, ip)
    } catch (error) {
      return (session) => this.#refuse(session, error, ip)
    }
  }

  #admit(session: ServiceSideSession, hello: Hello, verified: VerifiedAuthtoken, ip: string): AgentSession | null {
    const { identities, online, sessionDeps } = this.#deps
    const identity = identities.recognise(verified.accountId, hello.resume)
    const facts = { ...this.#facts(hello, verified), clientId: identity.clientId, ip }
    const agent = new AgentSession(facts, verified.acl, session, sessionDeps)
    try {
      online.admit(agent)
    } catch (error) {
      return this.#refuse(session, error, ip)
    }
    this.#welcome(agent, identity.cookie)
    this.#deps.journal.onWelcomed(agent)
    return agent
  }

  #facts({ authtoken: _authtoken, resume: _resume, ...hello }: Hello, verified: VerifiedAuthtoken) {
    const { mintId, wallMs, region } = this.#deps
    const { accountId, credentialId } = verified
    const transport = `service/${PROTOCOL_VERSION}`
    return { id: mintId('ts'), accountId, credentialId, region, transport, startedAtMs: wallMs(), hello }
  }

  #welcome({ facts, streams }: AgentSession, cookie: string): void {
    const { limits, region, zone, wallMs } = this.#deps
    const heartbeat = heartbeatFor(facts.hello, limits)
    const { maxStreams } = defaultLimits
    streams.agree({ maxStreams: facts.hello.maxStreams, heartbeat })
    streams.send({
      type: 'welcome',
      protocolVersion: PROTOCOL_VERSION,
      sessionId: facts.id,
      clientId: facts.clientId,
      cookie,
      region,
      zone,
      heartbeat,
      limits: { maxStreams, maxBinds: limits.bindsPerSessionMax },
      serverTime: new Date(wallMs()).toISOString(),
      deprecation: null,
    })
  }

  #refuse(session: ServiceSideSession, error: unknown, ip: string): null {
    const retryAfterMs = retryAfter(error, this.#deps.random())
    session.send({ type: 'refused', error: toSessionError(error), retryAfterMs })
    session.close({ code: 'shutdown', retryAfterMs, message: 'refused' })
    this.#deps.journal.onRefused(ip, error)
    return null
  }
}

function requireVersion({ protocolVersions }: Hello): void {
  if (protocolVersions.includes(PROTOCOL_VERSION)) return
  throw new ServiceError('protocol_version_unsupported', { supported: PROTOCOL_VERSION })
}

function heartbeatFor({ heartbeat }: Pick<Hello, 'heartbeat'>, limits: SessionsLimits) {
  const bounded = (ms: number) => Math.min(Math.max(ms, limits.heartbeatMinMs), limits.heartbeatMaxMs)
  return {
    intervalMs: bounded(heartbeat?.intervalMs ?? defaultLimits.heartbeatIntervalMs),
    toleranceMs: bounded(heartbeat?.toleranceMs ?? defaultLimits.heartbeatToleranceMs),
  }
}

/** Somebody has to act before a refused agent can succeed, so it comes back seldom; but it does come back. */
function retryAfter(error: unknown, random: number): number {
  const isLasting = serviceErrorOf(error)?.definition.retryable === false
  return Math.round((isLasting ? 60_000 : 2000) * (1 + random))
}
