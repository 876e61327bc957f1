import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, type TestApi, type WireBody, engines, startTestApi } from './api-harness.ts'

describe.each(engines)('every resource on %s', (engine) => {
  let api: TestApi
  let client: Client
  beforeAll(async () => {
    api = await startTestApi(engine)
    client = await api.newClient()
  })
  afterAll(() => api[Symbol.asyncDispose]())

  it('is created, read, listed, changed and deleted', async () => {
    const created = await client.create('/credentials', {
      description: 'first',
      metadata: 'm',
      acl: ['bind:a.example.com'],
    })
    expect(created).toMatchObject({
      id: expect.stringMatching(/^cr_[0-9A-Za-z]{27}$/),
      description: 'first',
      metadata: 'm',
    })
    expect(created.uri).toBe(`http://api.example.com/credentials/${created.id}`)
    expect(created['created_at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const shown = { ...created, token: null }
    const path = `/credentials/${created.id}`
    expect((await client.send('GET', path)).body).toEqual(shown)
    expect((await client.send('GET', '/credentials')).body['credentials']).toContainEqual(shown)
    const patched = await client.send('PATCH', path, { description: 'second' })
    expect(patched.body).toEqual({ ...shown, description: 'second' })
    expect((await client.send('DELETE', path)).status).toBe(204)
    expect((await client.send('GET', path)).body).toMatchObject({ status_code: 404, msg: 'Resource not found' })
    expect((await client.send('DELETE', path)).status).toBe(404)
  })

  it('keeps what a PATCH leaves out or sends as null, and clears what it empties', async () => {
    const { id } = await client.create('/credentials', { description: 'd', metadata: 'm', acl: ['*'] })
    const path = `/credentials/${id}`
    const kept = await client.send('PATCH', path, { id, description: null, metadata: '', acl: null })
    expect(kept.body).toMatchObject({ description: 'd', acl: ['*'] })
    expect(kept.body).not.toHaveProperty('metadata')
    expect((await client.send('PATCH', path, { acl: [] })).body['acl']).toEqual([])
  })

  it('pages newest first through next_page_uri, exactly once each, and ends with null', async () => {
    const own = await api.newClient()
    const ids = new Set<string>()
    for (let n = 0; n < 7; n += 1) ids.add((await own.create('/bot_users', { name: `bot ${n}` })).id)
    const seen: string[] = []
    let next: string | null = '/bot_users?limit=3'
    while (next !== null) {
      const { body }: { body: WireBody } = await own.send('GET', next.replace('http://api.example.com', ''))
      seen.push(...(body['bot_users'] as WireBody[]).map((bot) => bot.id))
      next = body.next_page_uri
    }
    expect(seen).toEqual([...ids].sort().reverse())
    const past = await own.send('GET', '/bot_users?before_id=bot_0&limit=3')
    expect(past.body).toEqual({ bot_users: [], uri: 'http://api.example.com/bot_users', next_page_uri: null })
    expect((await own.send('GET', '/bot_users?before_id=&limit=')).body['bot_users']).toHaveLength(7)
  })

  it('of another account looks exactly like a missing one', async () => {
    const { id } = await client.create('/bot_users', { name: 'mine' })
    const stranger = await api.newClient()
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
      const foreign = await stranger.send(method, `/bot_users/${id}`, body)
      const missing = await stranger.send(method, `/bot_users/bot_${'0'.repeat(27)}`, body)
      expect(foreign.status).toBe(404)
      expect({ ...foreign.body, details: null }).toEqual({ ...missing.body, details: null })
    }
    expect((await stranger.send('GET', '/bot_users')).body['bot_users']).toEqual([])
    const reference = await stranger.send('POST', '/credentials', { owner_id: id })
    expect(reference.body.error_code).toBe('ERR_SERVICE_634')
  })

  it('cannot be deleted while another refers to it', async () => {
    const bot = await client.create('/bot_users', { name: 'owner' })
    const credential = await client.create('/credentials', { owner_id: bot.id })
    const refused = await client.send('DELETE', `/bot_users/${bot.id}`)
    expect(refused).toMatchObject({ status: 400, body: { msg: expect.stringContaining(credential.id) } })
    await client.send('DELETE', `/credentials/${credential.id}`)
    expect((await client.send('DELETE', `/bot_users/${bot.id}`)).status).toBe(204)
  })

  it('takes many changes of one resource at once, and loses none', async () => {
    const edge = await client.create('/edges/https')
    const { id } = await client.create(`/edges/https/${edge.id}/routes`, { match_type: 'exact_path', match: '/busy' })
    const route = `/edges/https/${edge.id}/routes/${id}`
    const modules = {
      compression: {},
      circuit_breaker: {},
      request_headers: { add: { 'x-a': 'b' } },
      response_headers: { remove: ['x-a'] },
      user_agent_filter: { deny: ['bad'] },
      websocket_tcp_converter: {},
    }
    const puts = Object.entries(modules).map(([name, body]) => client.send('PUT', `${route}/${name}`, body))
    const patches = Array.from({ length: 20 }, (_, n) => client.send('PATCH', route, { description: `change ${n}` }))
    const answers = await Promise.all([...puts, ...patches])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const { body } = await client.send('GET', route)
    expect(Object.keys(modules).filter((name) => body[name] === null)).toEqual([])
    expect(body['description']).toMatch(/^change \d+$/)
  })

  it('holds a unique value once, whoever comes at the same time', async () => {
    const attempts = Array.from({ length: 20 }, () => client.send('POST', '/bot_users', { name: 'only one' }))
    const statuses = (await Promise.all(attempts)).map((answer) => answer.status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(19)
  })

  it('loses no change when several PATCHes meet', async () => {
    const { id } = await client.create('/credentials', { description: 'd', metadata: 'm' })
    const path = `/credentials/${id}`
    const [first, second] = await Promise.all([
      client.send('PATCH', path, { description: 'new' }),
      client.send('PATCH', path, { metadata: 'new' }),
    ])
    expect([first.status, second.status]).toEqual([200, 200])
    expect((await client.send('GET', path)).body).toMatchObject({ description: 'new', metadata: 'new' })
  })
})
