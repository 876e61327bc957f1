import { ServiceError } from '@tunnel/models'

/** An agent's session that is online. */
export interface OnlineSession {
  readonly id: string
  readonly accountId: string
  /** Of an authtoken, or of an SSH public key. */
  readonly credentialId: string
  readonly ip: string
  readonly region: string
  readonly transport: string
  readonly startedAtMs: number
  /** What the agent said of itself. */
  readonly hello: { readonly agentVersion: string; readonly metadata: string; readonly os: string }
}

/** A tunnel that is online. It has an address, or labels. */
export interface OnlineTunnel {
  readonly id: string
  readonly accountId: string
  readonly sessionId: string
  readonly region: string
  readonly startedAtMs: number
  readonly forwardsTo: string
  readonly metadata: string
  /** Null for a tunnel that is reached by its labels. */
  readonly publicUrl: string | null
  readonly labels: Readonly<Record<string, string>>
}

export type SessionCommand =
  | { readonly command: 'restart' | 'stop' }
  | { readonly command: 'update'; readonly version: string | undefined }

/** What is online now; satisfied by the part that holds the sessions. */
export interface SessionDirectory {
  sessions(accountId: string): readonly OnlineSession[]
  tunnels(accountId: string): readonly OnlineTunnel[]
  /** Resolves when the agent has accepted. Throws the `ServiceError` that says why it did not. */
  command(session: OnlineSession, command: SessionCommand): Promise<void>
}

/** Nothing is online until the directory is connected. */
export class LateSessions implements SessionDirectory {
  #directory: SessionDirectory | null = null

  connect(directory: SessionDirectory): void {
    this.#directory = directory
  }

  sessions(accountId: string): readonly OnlineSession[] {
    return this.#directory?.sessions(accountId) ?? []
  }

  tunnels(accountId: string): readonly OnlineTunnel[] {
    return this.#directory?.tunnels(accountId) ?? []
  }

  async command(session: OnlineSession, command: SessionCommand): Promise<void> {
    if (this.#directory === null) throw new ServiceError('not_found')
    await this.#directory.command(session, command)
  }
}
