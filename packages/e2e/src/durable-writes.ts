import { randomInt } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import type { createApiClient } from '@tunnel/api-client'

const writers = 8
const killWithinMs = { least: 50, most: 600 }

type Client = ReturnType<typeof createApiClient>

/** Resources whose reference, unique key or sealed secret did not get stored with them. */
export const halfStored = `
  select id from resources where
    (kind = 'bkdfo' and not exists (select 1 from resource_links where from_id = id)) or
    (kind = 'bot' and not exists (select 1 from unique_keys where resource_id = id)) or
    (kind = 'sshca' and not exists (select 1 from secrets where resource_id = id))`

/** Writes through the API while something is killed, and knows what must be there afterwards. */
export class DurableWrites {
  readonly #kept = new Map<string, string>()
  readonly #deleted = new Set<string>()
  readonly #others = { bots: new Set<string>(), authorities: new Set<string>() }

  /** How many resources were acknowledged and not deleted since. */
  get count(): number {
    return this.#kept.size + this.#others.bots.size + this.#others.authorities.size
  }

  /** Writes until `kill`, called at a random moment, has ended it. */
  async writeUntil(kill: () => Promise<unknown>, client: Client): Promise<void> {
    const writing = Array.from({ length: writers }, () => this.#write(client))
    await after(randomInt(killWithinMs.least, killWithinMs.most))
    await kill()
    await Promise.all(writing)
  }

  /** What is not as acknowledged: gone, in an older version, still there though deleted, or pointing at nothing. */
  async lost(client: Client): Promise<string[]> {
    const stored = new Map<string, string>()
    const broken: string[] = []
    for await (const { id, backends, metadata } of client.failoverBackends.all()) {
      const [backendId = ''] = backends
      if ((await client.httpResponseBackends.get(backendId)).body !== 'v1') broken.push(id)
      stored.set(id, metadata ?? '')
    }
    const stale = [...this.#kept].filter(([id, version]) => (stored.get(id) ?? '') < version).map(([id]) => id)
    const undead = [...this.#deleted].filter((id) => stored.has(id))
    const bots = await missing(this.#others.bots, client.botUsers.all())
    const authorities = await missing(this.#others.authorities, client.sshCertificateAuthorities.all())
    return [...broken, ...stale, ...undead, ...bots, ...authorities]
  }

  /** Resources of several rows: references, unique values, secrets; some are changed and some deleted. */
  async #write(client: Client): Promise<void> {
    try {
      for (;;) {
        const response = await client.httpResponseBackends.create({ body: 'v1' })
        const { id } = await client.failoverBackends.create({ backends: [response.id], metadata: 'v1' })
        this.#kept.set(id, 'v1')
        await client.failoverBackends.update(id, { backends: [response.id], metadata: 'v2' })
        this.#kept.set(id, 'v2')
        this.#others.bots.add((await client.botUsers.create({ name: crypto.randomUUID() })).id)
        if (randomInt(4) > 0) continue
        const authority = await client.sshCertificateAuthorities.create({ private_key_type: 'ed25519' })
        this.#others.authorities.add(authority.id)
        this.#kept.delete(id)
        await client.failoverBackends.delete(id)
        this.#deleted.add(id)
      }
    } catch {
      // The service or its store is gone; what was acknowledged until here counts.
    }
  }
}

async function missing(acknowledged: ReadonlySet<string>, listed: AsyncIterable<{ id: string }>): Promise<string[]> {
  const stored = new Set<string>()
  for await (const { id } of listed) stored.add(id)
  return [...acknowledged].filter((id) => !stored.has(id))
}
