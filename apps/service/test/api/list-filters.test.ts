import { expect, it } from 'vitest'
import { type Client, type WireBody, engines, startTestApi } from './api-harness.ts'

const list = async (client: Client, query: string) => {
  const { status, body } = await client.send('GET', query)
  return { status, body, items: (body['ip_policies'] ?? []) as WireBody[] }
}
const where = (filter: string) => `/ip_policies?filter=${encodeURIComponent(filter)}`

it.each(engines)(
  '%s: a filtered list has all that it asks for, page by page, and nothing of others',
  async (engine) => {
    await using api = await startTestApi(engine)
    const [client, stranger] = [await api.newClient(), await api.newClient()]
    const odd: string[] = []
    for (let n = 0; n < 250; n += 1) {
      const { id } = await client.create('/ip_policies', { metadata: n % 50 === 1 ? 'odd' : 'even' })
      if (n % 50 === 1) odd.push(id)
    }
    await stranger.create('/ip_policies', { metadata: 'odd' })
    const seen: string[] = []
    let uri: string | null = `${where('obj.metadata == "odd" && obj.description == ""')}&limit=2`
    for (let pages = 1; uri !== null; pages += 1) {
      const { items, body } = await list(client, uri.replace('http://api.example.com', ''))
      expect(items.length).toBe(pages < 3 ? 2 : 1)
      seen.push(...items.map(({ id }) => id))
      uri = body.next_page_uri
    }
    expect(seen).toEqual(odd.toSorted().toReversed())
    expect((await list(client, where('obj.metadata == "none"'))).body).toMatchObject({
      ip_policies: [],
      next_page_uri: null,
    })
    expect((await list(client, '/ip_policies?filter=&limit=1')).items.length).toBe(1)
  },
)

it('a filter that cannot be used is refused with its number, on lists of what is online too', async () => {
  await using api = await startTestApi()
  const client = await api.newClient()
  const refused = await client.send('GET', where('obj.secret == "x"'))
  expect(refused.body).toMatchObject({ status_code: 400, error_code: 'ERR_SERVICE_250' })
  expect(refused.body.msg).toContain('metadata')
  expect((await client.send('GET', '/tunnel_sessions?filter=obj.os%20==%20%22linux%22')).body).toMatchObject({
    tunnel_sessions: [],
  })
  expect((await client.send('GET', '/tunnel_sessions?filter=obj.token')).body.error_code).toBe('ERR_SERVICE_250')
})
