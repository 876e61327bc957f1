import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AgentFixture, type Reply } from './agent-fixture.ts'
import { agentKinds } from './bundled-agent.ts'
import { isThorough } from './thorough.ts'

let fixture: AgentFixture

const start = (): Promise<void> => fixture.start({ AGENT_DOMAIN: 'agent.sitea.example.com' })

async function restart(): Promise<void> {
  await fixture.stop()
  await start()
}

const call = (method: string, path: string, body?: unknown): Promise<Reply> => fixture.call(method, path, body)

/** Unlike fetch, lets a test choose Host and leaves every header alone. */
function callRaw(method: string, path: string, headers: Record<string, string>, body = ''): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${fixture.agent.apiUrl}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(String(Buffer.concat(chunks))) as Reply['body'] }),
      )
    })
    outgoing.on('error', reject).end(body)
  })
}

const device = { protocol: 'http', forwards_to: 'localhost:8001', domain: 'device123.sitea.example.com' }
const policy = { inbound: [{ name: 'n', expressions: [], actions: [{ type: 'deny', config: {} }] }], outbound: [] }

describe.each(agentKinds)('$name', ({ start: starter }) => {
  beforeEach(async () => {
    fixture = await AgentFixture.create(starter)
    await start()
  })

  afterEach(() => fixture[Symbol.asyncDispose]())

  describe('labels', () => {
    const labelled = { forwards_to: 'localhost:8001', labels: { site: 'a', role: 'web' } }

    it('stand for a domain; the tunnel is listed, kept over a restart, and deleted by its url', async () => {
      const { status, body } = await call('POST', '/tunnels', labelled)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        labels: labelled.labels,
        domain: '',
        url: expect.stringMatching(/^labels:[0-9a-f-]{36}$/),
      })
      await restart()
      expect((await call('GET', '/tunnels')).body).toMatchObject([{ url: body.url, labels: labelled.labels }])
      expect((await call('DELETE', `/tunnels/${encodeURIComponent(body.url)}`)).status).toBe(200)
      expect((await call('GET', '/tunnels')).body).toEqual([])
    })

    it.each([
      [{ ...labelled, domain: 'a.example.com' }, 'together with a domain'],
      [{ ...labelled, labels: {} }, '1 to 50 entries'],
      [{ ...labelled, labels: { '': 'a' } }, 'keys of 1 to 128 bytes'],
      [{ ...labelled, labels: { a: 'é'.repeat(128) } }, 'values of 1 to 255 bytes'],
      [{ ...labelled, labels: { a: 1 } }, 'string'],
    ])('%j is refused by name, and nothing is stored', async (body, rule) => {
      const reply = await call('POST', '/tunnels', body)
      expect(reply.status).toBe(400)
      expect(reply.body.detail).toMatch(/^labels/)
      expect(reply.body.detail).toContain(rule)
      expect((await call('GET', '/tunnels')).body).toEqual([])
    })
  })

  describe('without network and session', () => {
    it('a fresh agent lists nothing', async () => {
      expect(await call('GET', '/tunnels')).toEqual({ status: 200, body: [] })
    })

    it('a tunnel without policy answers null and lists the default policy as JSON text', async () => {
      const url = 'https://device123.sitea.example.com'
      expect(await call('POST', '/tunnels', device)).toEqual({ status: 200, body: { ...device, url, policy: null } })
      const { body } = await call('GET', '/tunnels')
      expect(body).toEqual([{ ...device, url, policy: expect.any(String) }])
      const defaults = JSON.parse(await readFile(join(fixture.stateDir, 'default-policy.json'), 'utf8'))
      expect(JSON.parse(body[0]?.policy as string)).toEqual(defaults)
      expect(defaults).toMatchObject({
        inbound: [],
        outbound: [{ expressions: [], actions: [{ type: 'add-headers' }] }],
      })
    })

    it('a policy answers as it was sent and survives two restarts unchanged', async () => {
      expect((await call('POST', '/tunnels', { ...device, policy })).body.policy).toEqual(policy)
      for (let round = 0; round < 2; round += 1) {
        await restart()
        const { body } = await call('GET', '/tunnels')
        expect(JSON.parse(body[0]?.policy as string)).toEqual(policy)
      }
    })

    it('the state directory and the store are readable by the owner alone', async () => {
      await call('POST', '/tunnels', device)
      expect((await stat(join(fixture.stateDir, 'tunnels.json'))).mode & 0o077).toBe(0)
      expect((await stat(join(fixture.stateDir, 'default-policy.json'))).mode & 0o077).toBe(0)
    })

    it('a tunnel without a domain needs the service', async () => {
      const { status, body } = await call('POST', '/tunnels', { forwards_to: '8001' })
      expect(status).toBe(503)
      expect(body.detail).toContain('Give a domain')
      expect((await call('GET', '/tunnels')).body).toEqual([])
    })

    it('a broken default policy file publishes nothing', async () => {
      await writeFile(join(fixture.stateDir, 'default-policy.json'), '{"inbound": [')
      expect((await call('POST', '/tunnels', device)).status).toBe(503)
      expect((await call('POST', '/tunnels', { ...device, policy })).status).toBe(200)
    })

    it('a default policy file that is gone publishes nothing, and comes back with a restart', async () => {
      const file = join(fixture.stateDir, 'default-policy.json')
      await rm(file)
      expect((await call('POST', '/tunnels', device)).status).toBe(503)
      expect((await call('GET', '/tunnels')).body).toEqual([])
      await restart()
      expect((await call('POST', '/tunnels', device)).status).toBe(200)
    })

    it('the default policy leaves raw tunnels alone, and they survive a restart without one', async () => {
      await writeFile(join(fixture.stateDir, 'default-policy.json'), '{"inbound": [')
      expect((await call('POST', '/tunnels', { ...device, protocol: 'tls' })).status).toBe(200)
      await restart()
      expect((await call('GET', '/tunnels')).body).toMatchObject([{ protocol: 'tls', policy: null }])
    })

    it('a default policy that cannot run publishes nothing', async () => {
      await writeFile(join(fixture.stateDir, 'default-policy.json'), '{"inbound": [{"actions": [{"type": "deyn"}]}]}')
      expect((await call('POST', '/tunnels', device)).status).toBe(503)
      expect((await call('GET', '/tunnels')).body).toEqual([])
      // An empty policy is a policy: the file is not looked at.
      expect((await call('POST', '/tunnels', { ...device, policy: {} })).status).toBe(200)
    })

    it('a policy that cannot run is refused with all its problems, and nothing is stored', async () => {
      const broken = { inbound: [{ expressions: ['req.metod == 1'], actions: [{ type: 'add-headers', config: {} }] }] }
      const { status, body } = await call('POST', '/tunnels', { ...device, policy: broken })
      expect(status).toBe(400)
      expect(body.problems).toMatchObject([
        { path: '$.inbound[0].expressions[0]', code: 'unknown_variable', line: 1, column: 4, offset: 3 },
        { path: '$.inbound[0].actions[0].config.headers', code: 'missing_field' },
      ])
      expect((await call('GET', '/tunnels')).body).toEqual([])
    })

    it('readyz waits for the session, healthz does not', async () => {
      expect((await call('GET', '/healthz')).status).toBe(200)
      expect((await call('GET', '/readyz')).status).toBe(503)
    })
  })

  describe('what POST /tunnels refuses, naming field and rule, and stores nothing', () => {
    it.each([
      [{}, 'forwards_to'],
      [{ ...device, forwards_to: '' }, 'forwards_to'],
      [{ ...device, forwards_to: 'localhost' }, 'forwards_to'],
      [{ ...device, forwards_to: 8001 }, 'forwards_to'],
      [{ ...device, forwards_to: '169.254.169.254:80' }, 'forwards_to'],
      [{ ...device, protocol: 'ftp' }, 'protocol'],
      [{ ...device, domain: 'https://device123' }, 'domain'],
      [{ ...device, domain: '*.example.com' }, 'domain'],
      [{ ...device, domain: 'gerät.example.com' }, 'domain'],
      [{ ...device, domain: 'device123.example.com\n.evil.com' }, 'domain'],
      [{ ...device, domain: `${'a'.repeat(64)}.example.com` }, 'domain'],
      [{ ...device, forwards_to: 'gerät:80' }, 'forwards_to'],
      [{ ...device, forwards_to: 'user:password@localhost:80' }, 'forwards_to'],
      [{ ...device, forwards_to: '8001\r\nx' }, 'forwards_to'],
      [{ ...device, forwards_to: '9'.repeat(10_000) }, 'forwards_to'],
      [{ ...device, policy: 1 }, 'policy'],
      [{ ...device, policy: [] }, 'policy'],
      [{ ...device, polcy: {} }, 'polcy'],
      [[device], 'body'],
    ])('%j', async (body, field) => {
      const reply = await call('POST', '/tunnels', body)
      expect(reply.status).toBe(400)
      expect(reply.body.problems.map(({ field: name }) => name)).toContain(field)
      expect(reply.body.detail).toContain(field)
      expect((await call('GET', '/tunnels')).body).toEqual([])
    })

    it.each(['text', '[]', '"{}"', 'null'])('a policy as a text that holds no object: %s', async (text) => {
      const reply = await call('POST', '/tunnels', { ...device, policy: text })
      expect(reply).toMatchObject({ status: 400, body: { problems: [{ path: '$', code: 'bad_document' }] } })
      expect((await call('GET', '/tunnels')).body).toEqual([])
    })

    it('the port of the agent itself', async () => {
      const { port } = new URL(fixture.agent.apiUrl)
      expect((await call('POST', '/tunnels', { ...device, forwards_to: `:${port}` })).body.detail).toContain(
        'the agent itself',
      )
    })

    it('a domain that another tunnel has, also while both are being created, and the domain of this API', async () => {
      const replies = await Promise.all([device, device, device].map((body) => call('POST', '/tunnels', body)))
      expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409])
      expect((await call('POST', '/tunnels', { ...device, domain: 'DEVICE123.sitea.example.com.' })).status).toBe(409)
      expect((await call('POST', '/tunnels', { ...device, domain: 'agent.sitea.example.com' })).status).toBe(409)
    })
  })

  describe('DELETE /tunnels/{url_part}', () => {
    const deleted = { status: 200, body: { detail: 'Tunnel deleted' } }
    const notFound = { status: 404, body: { detail: 'Tunnel not found' } }

    it.each([
      'device123.sitea.example.com',
      'device123',
      'DEVICE123',
      '%64evice123',
      'https%3A%2F%2Fdevice123.sitea.example.com',
      'https%3A%2F%2Fdevice123.sitea.example.com%2F',
      'https://device123.sitea.example.com',
    ])('by %s, for good', async (part) => {
      await call('POST', '/tunnels', device)
      expect(await call('DELETE', `/tunnels/${part}`)).toEqual(deleted)
      expect(await call('DELETE', `/tunnels/${part}`)).toEqual(notFound)
      await restart()
      expect((await call('GET', '/tunnels')).body).toEqual([])
    })

    it('does not take parts that merely occur in a url', async () => {
      await call('POST', '/tunnels', device)
      for (const part of [
        'https',
        's',
        'device',
        '%20',
        '',
        '%00',
        'device123%2F..',
        'https%253A%252F%252Fdevice123',
        'ü',
      ]) {
        expect(await call('DELETE', `/tunnels/${part}`)).toEqual(notFound)
      }
    })

    it('takes no part that is not encoded as it should be', async () => {
      expect(await callRaw('DELETE', '/tunnels/%E0%A4%A', {})).toMatchObject({
        status: 400,
        body: { detail: expect.any(String) },
      })
    })

    it('names the candidates of an ambiguous part', async () => {
      await call('POST', '/tunnels', device)
      await call('POST', '/tunnels', { ...device, domain: 'device123.siteb.example.com' })
      const { status, body } = await call('DELETE', '/tunnels/device123')
      expect(status).toBe(409)
      expect(body.detail).toMatch(/https:\/\/device123\.sitea.*https:\/\/device123\.siteb/)
    })

    it('takes an empty body that is announced as JSON, as some clients send', async () => {
      await call('POST', '/tunnels', device)
      expect(await callRaw('DELETE', '/tunnels/device123', { 'content-type': 'application/json' })).toEqual(deleted)
    })
  })

  describe('pages of other sites', () => {
    it.each(['evil.example.com', 'localhost.evil.example.com', '127.0.0.1.nip.io', '10.0.0.1'])(
      'DNS rebinding: Host "%s" is refused',
      async (host) => {
        expect((await callRaw('GET', '/tunnels', { host })).status).toBe(403)
        expect((await callRaw('GET', '/status', { host })).status).toBe(403)
      },
    )

    it.each(['localhost', 'localhost:4301', '[::1]:80', '127.0.0.1', 'agent.sitea.example.com'])(
      'Host %s is ours',
      async (host) => {
        expect((await callRaw('GET', '/tunnels', { host })).status).toBe(200)
      },
    )

    it.each(['https://evil.example.com', 'null', 'http://127.0.0.1:1', 'http://localhost'])(
      'cross-site request: Origin %s is refused',
      async (origin) => {
        const headers = { origin, 'content-type': 'application/json' }
        expect((await callRaw('POST', '/tunnels', headers, JSON.stringify(device))).status).toBe(403)
        expect((await call('GET', '/tunnels')).body).toEqual([])
      },
    )

    it('an Origin of this API itself is fine', async () => {
      expect((await callRaw('GET', '/tunnels', { origin: fixture.agent.apiUrl })).status).toBe(200)
    })

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
      'cross-site post: a body of %s is refused',
      async (type) => {
        expect((await callRaw('POST', '/tunnels', { 'content-type': type }, JSON.stringify(device))).status).toBe(415)
      },
    )

    it('a body without a type, broken JSON, a body too large, and prototype tricks are refused', async () => {
      const json = { 'content-type': 'application/json' }
      expect((await callRaw('POST', '/tunnels', {}, JSON.stringify(device))).status).toBe(415)
      expect((await callRaw('POST', '/tunnels', json, '{"forwards_to":')).status).toBe(400)
      expect((await callRaw('POST', '/tunnels', json, '{"__proto__": {"forwards_to": "8001"}}')).status).toBe(400)
      expect((await callRaw('POST', '/tunnels', json, `"${'x'.repeat(300_000)}"`)).status).toBe(413)
    })
  })

  describe('callers that take more than their share', () => {
    it.runIf(isThorough)(
      'the 1,001st tunnel is refused, the others stay over a restart',
      { timeout: 120_000 },
      async () => {
        for (let n = 0; n < 1000; n += 50) {
          const bodies = Array.from({ length: 50 }, (_, i) => ({
            ...device,
            domain: `d${n + i}.example.com`,
            policy: {},
          }))
          await Promise.all(bodies.map((body) => call('POST', '/tunnels', body)))
        }
        expect((await call('POST', '/tunnels', device)).status).toBe(409)
        await restart()
        expect((await call('GET', '/tunnels')).body).toHaveLength(1000)
      },
    )

    it.runIf(start)('a head or a body that does not come is given up within 15 s', { timeout: 15_000 }, async () => {
      const port = Number(new URL(fixture.agent.apiUrl).port)
      const head = 'POST /tunnels HTTP/1.1\r\nHost: localhost\r\n'
      const starts = ['', head, `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`]
      const endings = starts.map(async (text) => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => undefined).resume()
        socket.write(text)
        await once(socket, 'close')
      })
      await Promise.all(endings)
      expect((await call('GET', '/tunnels')).body).toEqual([])
    })

    it('those beyond 256 connections are closed, and others work again afterwards', async () => {
      const port = Number(new URL(fixture.agent.apiUrl).port)
      const sockets = Array.from({ length: 300 }, () =>
        connect(port, '127.0.0.1')
          .on('error', () => undefined)
          .resume(),
      )
      let closed = 0
      await new Promise<void>((resolve) => {
        for (const socket of sockets) socket.once('close', () => ++closed === 44 && resolve())
      })
      for (const socket of sockets) socket.destroy()
      const limit = Date.now() + 5000
      for (;;) {
        const works = await call('GET', '/tunnels').then(
          ({ status }) => status === 200,
          () => false,
        )
        if (works) break
        expect(Date.now()).toBeLessThan(limit)
      }
    })
  })

  it('unknown paths and methods answer with a detail', async () => {
    expect(await call('GET', '/nothing')).toEqual({ status: 404, body: { detail: 'Not Found' } })
    expect((await call('DELETE', '/tunnels')).status).toBe(404)
  })
})

it.each([
  ['0.0.0.0:0', true, 200],
  ['[::]:0', true, 200],
  ['127.0.0.1:0', false, 403],
])('listening at %s is warned about: %s; by an address of the network: %i', async (listen, isWarned, status) => {
  fixture = await AgentFixture.create()
  await fixture.start({ AGENT_API_LISTEN: listen })
  expect(fixture.logLines.join('').includes('everybody in this network can create tunnels')).toBe(isWarned)
  expect((await callRaw('GET', '/tunnels', { host: '192.168.1.5' })).status).toBe(status)
  expect((await callRaw('GET', '/tunnels', { host: 'evil.example.com' })).status).toBe(403)
  await fixture[Symbol.asyncDispose]()
})
