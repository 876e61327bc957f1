import type { Registry } from 'prom-client'
import type { AuthtokenVerifier } from './authtoken-verifier.ts'
import type { LabelledTunnels } from './labelled-tunnels.ts'
import type { SessionsLimits } from './limits.ts'
import type { NameMemory } from './routing-table.ts'
import type { Tunnel } from './tunnel.ts'
import type { NameAuthority } from './zone-names.ts'

/** Compiles the policy of a bind. `owner` is the same whenever the same tunnel of the same agent is bound again. */
export type CompilePolicy = (
  policy: unknown,
  place: { readonly owner: string; readonly accountId: string; readonly protocol: 'http' | 'tls' | 'tcp' },
) => Promise<unknown>

/** What the sessions need of the rest of the service. */
export interface SessionsDeps {
  readonly authtokens: AuthtokenVerifier
  readonly names: NameAuthority
  readonly nameMemory: NameMemory
  /** Whether agents of an account may connect from an address. */
  readonly admitsAgent: (accountId: string, ip: string) => boolean
  /** Filled with the tunnels that are reached through their labels. */
  readonly labelled: LabelledTunnels
  /** Compiles a policy once, at bind time. Throws `ServiceError` when it is wrong. */
  readonly compilePolicy: CompilePolicy
  readonly publicUrl: (protocol: 'http' | 'https', domain: string) => string
  readonly tcp: TcpAddresses
  /** Keeps agent identities and free names the same for ever: 32 secret bytes. */
  readonly identityKey: Uint8Array
  readonly zone: string
  readonly region: string
  readonly mintId: (prefix: string) => string
  /** `nowMs` is monotonic, `wallMs` the time of day. */
  readonly clock: { readonly nowMs: () => number; readonly wallMs: () => number }
  readonly random: () => number
  readonly log: SessionLog
  readonly publish: PublishEvent
  readonly registry: Registry
  readonly limits?: Partial<SessionsLimits>
}

/** Where `tcp` tunnels are reached: one host name, and a port for each. */
export interface TcpAddresses {
  readonly host: string
  readonly ports: {
    /** The port that `wish` stands for, or the next free one; `tunnelOf` is asked for every connection. Throws `ServiceError`. */
    claim(wish: number, tunnelOf: () => Tunnel | undefined): Promise<PortLease>
    /** The port of an address, `host:port`, that the account has reserved. Throws `ServiceError`. */
    claimReserved(accountId: string, addr: string, tunnelOf: () => Tunnel | undefined): Promise<PortLease>
    /** Throws `ServiceError` when the account has not, or no longer, reserved the address. */
    requireReserved(accountId: string, addr: string): void
  }
}

export interface PortLease {
  readonly port: number
  release(): void
}

export interface SessionLog {
  info(fields: object, event: string): void
  warn(fields: object, event: string): void
}

/** Tells whoever follows the account what has happened to its sessions and tunnels. */
export type PublishEvent = (
  accountId: string,
  event: 'tunnel_session_started' | 'tunnel_session_stopped' | 'tunnel_started' | 'tunnel_stopped',
  object: { readonly id: string; readonly [fact: string]: unknown },
) => void
