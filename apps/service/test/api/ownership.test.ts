import { expect, it } from 'vitest'
import { type Client, engines, startTestApi } from './api-harness.ts'
import { throwAwayDatabase } from '../postgres-database.ts'

const tries = 100
const accounts = 10

type Try = [url: string, body: Record<string, unknown>]

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
  ['an agent ingress and its own name', [ingress('race.dev'), reserve('race.dev')]],
  ['an agent ingress and where its agents connect', [ingress('race.dev'), reserve('tunnel.local.race.dev')]],
  ['an agent ingress and the wildcard under it', [ingress('race.dev'), reserve('*.race.dev')]],
  ['a wildcard and an agent ingress under it', [reserve('*.race.dev'), ingress('gw.race.dev')]],
  ['an agent ingress and one under it', [ingress('race.dev'), ingress('gw.race.dev')]],
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
        return { client, url, ...(await client.send('POST', url, body)) }
      }),
    )
    const winners = answers.filter(({ status }) => status === 201)
    expect(new Set(winners.map(({ client }) => client)).size).toBe(1)
    expect(new Set(winners.map(({ url, body }) => `${url} ${String(body['domain'])}`)).size).toBe(winners.length)
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

it.each(engines)('%s: an agent ingress keeps other accounts from its names, and they keep theirs', async (engine) => {
  await using api = await startTestApi(engine)
  const [owner, stranger] = [await api.newClient(), await api.newClient()]
  const codeOf = async (client: Client, [url, body]: Try) =>
    Number((await client.send('POST', url, body)).body.error_code?.slice('ERR_SERVICE_'.length) ?? 0)
  await owner.create(...ingress('gw.race.dev'))
  for (const domain of [
    'gw.race.dev',
    'tunnel.local.gw.race.dev',
    '*.gw.race.dev',
    '*.local.gw.race.dev',
    '*.race.dev',
  ])
    expect([domain, await codeOf(stranger, reserve(domain))]).toEqual([domain, 417])
  for (const domain of ['a.gw.race.dev', 'race.dev'])
    expect([domain, await codeOf(stranger, ingress(domain))]).toEqual([domain, 90_201])
  expect(await codeOf(stranger, ingress('gw.race.dev'))).toBe(6706)
  for (const domain of ['race.dev', 'gw2.race.dev', 'gw.race.dev.example.org'])
    expect([domain, await codeOf(stranger, reserve(domain))]).toEqual([domain, 0])
  for (const domain of ['gw2.race.dev', 'dev.example.org'])
    expect([domain, await codeOf(stranger, ingress(domain))]).toEqual([domain, 0])
  await owner.create(...reserve('*.gw.race.dev'))
})

it('keeps everybody from names over the domain of the service', async () => {
  await using api = await startTestApi('sqlite', { zone: 'tunnel.service.example.com' })
  const client = await api.newClient()
  for (const domain of ['*.example.com', '*.service.example.com', '*.tunnel.service.example.com']) {
    const { body } = await client.send('POST', ...reserve(domain))
    expect([domain, body.error_code]).toEqual([domain, 'ERR_SERVICE_450'])
  }
  for (const domain of ['example.com', 'service.example.com', 'tunnel.service.example.com']) {
    const { body } = await client.send('POST', ...ingress(domain))
    expect([domain, body.error_code]).toEqual([domain, 'ERR_SERVICE_6705'])
  }
  await client.create(...reserve('service.example.com'))
  await client.create(...reserve('*.other.example.com'))
})

it.runIf(engines.includes('postgres'))('of several processes on one store, exactly one reserves', async () => {
  await using database = await throwAwayDatabase()
  await using stack = new AsyncDisposableStack()
  const clients: Client[] = []
  for (let process = 0; process < 3; process += 1)
    clients.push(await stack.use(await startTestApi('postgres', { databaseUrl: database.url })).newClient())
  for (let round = 0; round < 30; round += 1) {
    const base = `round-${round}.dev`
    const wanted = [reserve(`*.${base}`), reserve(`shop.${base}`), ingress(base)] as const
    const answers = await Promise.all(
      clients.map((client, index) => client.send('POST', ...(wanted[(index + round) % wanted.length] as Try))),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400])
  }
})
