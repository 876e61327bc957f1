import { randomBytes, randomUUID } from 'node:crypto'
import { ServiceError } from '@tunnel/models'
import { checkPolicy } from './check-policy.ts'
import { checkLabels, type Labels } from './labels.ts'
import type { PolicyDocument } from './policy.ts'
import type { TunnelProtocol, TunnelRecord } from './tunnel-record.ts'
import { type ForbiddenUpstreams, parseUpstreamAddress, refuseForbidden } from './upstream-address.ts'
import { matchUrlPart } from './url-part.ts'

/**
 * What a caller asks for. Without a domain the service chooses a free name, or none where labels lead tunnel groups here;
 * without a policy the default one applies, over HTTP.
 */
export interface TunnelInput {
  readonly protocol: TunnelProtocol
  readonly forwardsTo: string
  readonly domain: string | null
  readonly labels: Labels | null
  readonly policy: PolicyDocument | null
}

/** A tunnel that is about to exist. */
export interface TunnelDraft extends TunnelInput {
  readonly id: string
}

/** Puts tunnels online and takes them off. */
interface TunnelBinder {
  /**
   * The public url, or null when labels stand for it, or when there is no session to ask (the tunnel then comes online later).
   * @throws BindRefusedError with the service's reason; the tunnel is not online
   */
  bind(draft: TunnelDraft): Promise<string | null>
  /** The tunnel is stored: from now on it is kept online. */
  keep(record: TunnelRecord): void
  unbind(id: string): Promise<void>
  /** Free names are below this domain; null until the service has told. */
  readonly zone: string | null
}

/** Keeps records; a settled change survives a power cut. */
interface TunnelRecords {
  readonly records: readonly TunnelRecord[]
  change(edit: (records: readonly TunnelRecord[]) => readonly TunnelRecord[]): Promise<void>
}

export interface TunnelsOptions {
  readonly store: TunnelRecords
  readonly binder: TunnelBinder
  readonly readDefaultPolicy: () => Promise<PolicyDocument>
  readonly reservedDomain: string | null
  readonly forbiddenUpstreams: () => ForbiddenUpstreams
}

/** A field of the caller's input breaks a rule. */
export class TunnelInputError extends Error {
  override readonly name = 'TunnelInputError'
  readonly field: string

  constructor(field: string, rule: string) {
    super(rule)
    this.field = field
  }
}

const tunnelsMax = 1000

/** The tunnels of this device as they shall be. They are created and deleted with or without a session. */
export class Tunnels {
  readonly #options: TunnelsOptions
  readonly #domainsInCreation = new Set<string>()

  constructor(options: TunnelsOptions) {
    this.#options = options
  }

  list(): readonly TunnelRecord[] {
    return this.#options.store.records
  }

  find(id: string): TunnelRecord | undefined {
    return this.list().find((record) => record.id === id)
  }

  async create(input: TunnelInput): Promise<TunnelRecord> {
    this.#checkUpstream(input.forwardsTo)
    if (input.labels !== null) checkField('labels', () => checkLabelled(input))
    this.#checkRoom()
    const domain = input.domain?.toLowerCase().replace(/\.$/, '') ?? null
    if (domain === null) return this.#createNamed({ ...input, domain })
    this.#checkDomain(domain)
    this.#domainsInCreation.add(domain)
    try {
      return await this.#createNamed({ ...input, domain })
    } finally {
      this.#domainsInCreation.delete(domain)
    }
  }

  /** Off the disk first: a power cut must not bring back what was answered as deleted. */
  async delete(urlPart: string): Promise<void> {
    const matches = matchUrlPart(this.list(), urlPart)
    const [match] = matches
    if (match === undefined) throw new ServiceError('tunnel_not_found')
    if (matches.length > 1) {
      throw new ServiceError('tunnel_ambiguous', {
        part: urlPart,
        candidates: matches.map(({ url }) => url).join(', '),
      })
    }
    await this.#options.store.change((records) => records.filter(({ id }) => id !== match.id))
    await this.#options.binder.unbind(match.id)
  }

  /** Notes the address that the service has given a tunnel, where it differs from the one that was expected. */
  async moveTo(id: string, url: string): Promise<void> {
    const record = this.find(id)
    if (record === undefined) return
    const moved = recordAt({ ...record, domain: record.isDomainChosen ? record.domain : null }, url)
    if (moved.url === record.url) return
    await this.#options.store.change((records) => records.map((other) => (other.id === id ? moved : other)))
  }

  #checkUpstream(forwardsTo: string): void {
    checkField('forwards_to', () =>
      refuseForbidden(parseUpstreamAddress(forwardsTo), this.#options.forbiddenUpstreams()),
    )
  }

  #checkRoom(): void {
    if (this.list().length >= tunnelsMax) throw new ServiceError('too_many_tunnels', { max: tunnelsMax })
  }

  #checkDomain(domain: string): void {
    if (domain === this.#options.reservedDomain) throw new ServiceError('tunnel_domain_reserved', { domain })
    const isTaken = this.#domainsInCreation.has(domain) || this.list().some((record) => record.domain === domain)
    if (isTaken) throw new ServiceError('tunnel_domain_taken', { domain })
  }

  async #createNamed(input: TunnelInput): Promise<TunnelRecord> {
    const policy = input.policy ?? (await this.#defaultPolicyFor(input.protocol))
    if (policy !== null) await checkPolicy(policy, input.protocol, input.policy === null)
    const asked = { ...input, id: randomUUID(), policy }
    const url = await this.#options.binder.bind(asked)
    const record = url === null ? this.#withoutUrl(asked) : recordAt(asked, url)
    try {
      await this.#options.store.change((records) => [...records, record])
    } catch (error) {
      await this.#options.binder.unbind(record.id)
      throw error
    }
    this.#options.binder.keep(record)
    return record
  }

  /** The default policy speaks of requests and responses, which raw bytes have none of. */
  async #defaultPolicyFor(protocol: TunnelProtocol): Promise<PolicyDocument | null> {
    return isRaw(protocol) ? null : this.#options.readDefaultPolicy()
  }

  /** Only a named tunnel has an address without the service; the agent draws a name where it knows the zone. */
  #withoutUrl(draft: TunnelDraft): TunnelRecord {
    if (draft.labels !== null) return labelled(draft)
    const { zone } = this.#options.binder
    const domain = draft.domain ?? (zone && `${randomBytes(freeLabelBytes).toString('hex')}.${zone}`)
    if (domain === null || (draft.protocol === 'tcp' && draft.domain === null))
      throw new ServiceError('tunnel_name_needs_session')
    return recordAt({ ...draft, domain }, `${draft.protocol}://${domain}`)
  }
}

const freeLabelBytes = 8

function isRaw(protocol: TunnelProtocol): boolean {
  return protocol === 'tcp' || protocol === 'tls'
}

function checkField(field: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    throw new TunnelInputError(field, (error as Error).message)
  }
}

function checkLabelled({ domain, labels }: TunnelInput): void {
  checkLabels(labels ?? {})
  if (domain !== null) throw new Error('cannot be given together with a domain')
}

/** The id makes the record's url its own: several tunnels may have the same labels. */
function labelled(draft: TunnelDraft): TunnelRecord {
  return { ...draft, url: `labels:${draft.id}`, domain: '', isDomainChosen: false }
}

/** What is published over HTTP is published over HTTPS as well, and that is the address to hand on. */
function recordAt(draft: TunnelDraft, publicUrl: string): TunnelRecord {
  const url = publicUrl.replace(/^http:/, 'https:')
  return { ...draft, url, domain: draft.domain ?? new URL(url).hostname, isDomainChosen: draft.domain !== null }
}
