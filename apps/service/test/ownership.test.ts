import { expect, it } from 'vitest'
import { type Client, engines, startTestApi } from './api-harness.ts'

const tries = 100
const accounts = 10

type Try = readonly [url: string, body: Record<string, unknown>]

const reserve = (domain: string): Try => ['/reserved_domains', { domain }]
const ingress = (domain: string): Try => ['/agent_ingresses', { domain }]

/** What accounts try at the same time; each tries all of them in turn. */
const races: readonly (readonly [name: string, tries: readonly Try[]])[] = [
  ['one name', [reserve('shop.race.dev')]],
  ['one wildcard', [reserve('*.race.dev')]],
  ['a name and the wildcard over it', [reserve('shop.race.dev'), reserve('*.race.dev')]],
  ['a wildcard and a wildcard under it', [reserve('*.race.dev'), reserve('*.shop.race.dev')]],
  ['a name deep under a wildcard', [reserve('*.race.dev'), reserve('a.b.shop.race.dev')]],
  ['one name in two spellings', [reserve('shop.race.dev'), reserve('SHOP.Race.dev')]],
  ['one agent ingress', [ingress('race.dev')]],
]

it.each(engines.flatMap((engine) => races.map(([name, wanted]) => [engine, name, wanted] as const)))(
  `%s: of ${tries} tries at %s at the same time, those of one account win`,
  async (engine, _name, wanted) => {
    await using api = await startTestApi(engine)
    const clients = await Promise.all(Array.from({ length: accounts }, () => api.newClient()))
    const answers = await Promise.all(
      Array.from({ length: tries }, async (_try, index) => {
        const client = clients[index % accounts] as Client
        const [url, body] = wanted[Math.floor(index / accounts) % wanted.length] as Try
        return { client, ...(await client.send('POST', url, body)) }
      }),
    )
    const winners = answers.filter(({ status }) => status === 201)
    expect(new Set(winners.map(({ client }) => client)).size).toBe(1)
    expect(new Set(winners.map(({ body }) => body['domain'])).size).toBe(winners.length)
    for (const { status } of answers) expect([201, 400, 409]).toContain(status)
    for (const loser of clients.filter((client) => client !== winners[0]?.client)) {
      const [url, { domain }] = wanted[0] as Try
      expect((await loser.send('GET', url)).body).toMatchObject({ next_page_uri: null })
      expect(JSON.stringify((await loser.send('GET', url)).body)).not.toContain(String(domain))
      for (const { body } of winners) expect((await loser.send('GET', `${url}/${body.id}`)).status).toBe(404)
    }
  },
)

it.each(engines)('%s: an edge takes only names of its account, and each name once', async (engine) => {
  await using api = await startTestApi(engine)
  const [owner, ...others] = (await Promise.all(Array.from({ length: accounts }, () => api.newClient()))) as [
    Client,
    ...Client[],
  ]
  await owner.create('/reserved_domains', { domain: '*.race.dev' })
  const publish = (client: Client) => client.send('POST', '/edges/https', { hostports: ['shop.race.dev:443'] })
  const stolen = await Promise.all(others.flatMap((client) => [publish(client), publish(client)]))
  for (const { status } of stolen) expect([400, 404]).toContain(status)
  const answers = await Promise.all(Array.from({ length: tries }, () => publish(owner)))
  expect(answers.filter(({ status }) => status === 201).length).toBe(1)
})
