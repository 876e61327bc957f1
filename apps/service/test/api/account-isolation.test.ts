import { afterAll, expect, it } from 'vitest'
import { type Client, type WireBody, startTestApi } from './api-harness.ts'

const isLong = process.env['TEST_LONG'] !== undefined
const calls = isLong ? 200_000 : 2_000
const accounts = 2
const lanes = 8

const api = await startTestApi()
afterAll(() => api[Symbol.asyncDispose]())

interface Lane {
  readonly client: Client
  readonly mark: string
  readonly foreign: { ids: string[] }
  readonly own: { ids: string[] }
}

it(
  'accounts that use the same routes at the same time never see each other',
  async () => {
    const clients = await Promise.all(Array.from({ length: accounts }, () => api.newClient()))
    const created = clients.map(() => ({ ids: [] as string[] }))
    const all: Lane[] = clients.flatMap((client, index) =>
      Array.from({ length: lanes }, () => ({
        client,
        mark: `account ${index}`,
        own: created[index] ?? { ids: [] },
        foreign: created[1 - index] ?? { ids: [] },
      })),
    )
    const leaks = await Promise.all(all.map((lane) => hammer(lane, calls / all.length)))
    expect(leaks.flat()).toEqual([])
    expect(created.every(({ ids }) => ids.length > 0)).toBe(true)
  },
  isLong ? 1_200_000 : 60_000,
)

/** Mixes calls, and returns what should not have been seen. */
async function hammer({ client, mark, own, foreign }: Lane, count: number): Promise<string[]> {
  const leaks: string[] = []
  for (let n = 0; n < count; n += 1) {
    const foreignPath = `/ip_policies/${foreign.ids.at(-1) ?? ''}`
    if (n % 5 === 0) own.ids.push((await client.create('/ip_policies', { metadata: mark })).id)
    if (n % 5 === 1) leaks.push(...(await foreignMarks(client, `/ip_policies/${own.ids.at(-1) ?? ''}`, mark)))
    if (n % 5 === 2) leaks.push(...(await unlessMissing(client, 'GET', foreignPath)))
    if (n % 5 === 3) leaks.push(...(await unlessMissing(client, 'PATCH', foreignPath)))
    if (n % 5 === 4) leaks.push(...(await foreignMarks(client, '/ip_policies?limit=5', mark)))
  }
  return leaks
}

/** The marks of other accounts in an item or list. */
async function foreignMarks(client: Client, path: string, mark: string): Promise<string[]> {
  const { status, body } = await client.send('GET', path)
  const items = (body['ip_policies'] as WireBody[] | undefined) ?? [body]
  const marks = items.map((policy) => String(policy['metadata']))
  return status === 200 ? marks.filter((seen) => seen !== mark) : [`${path} answered ${status}`]
}

async function unlessMissing(client: Client, method: string, path: string): Promise<string[]> {
  const { status } = await client.send(method, path, method === 'PATCH' ? { metadata: 'taken' } : undefined)
  return status === 404 ? [] : [`${method} ${path} answered ${status}`]
}
