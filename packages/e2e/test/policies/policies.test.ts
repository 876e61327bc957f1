import { createHmac } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PolicyFixture, type Visit } from './policy-fixture.ts'

const givenPolicy = {
  inbound: [],
  outbound: [
    {
      name: 'Add headers to responses',
      expressions: [],
      actions: [{ type: 'add-headers', config: { headers: { 'is-mine': '1' } } }],
    },
  ],
}
const defaultPolicy = {
  inbound: [],
  outbound: [
    {
      name: 'default',
      expressions: [],
      actions: [{ type: 'add-headers', config: { headers: { 'is-default': '1' } } }],
    },
  ],
}

/** Every action through a real service, agent and upstream; what counts is what the upstream and the visitor got. */
describe('policies on the way from a visitor to a program and back', () => {
  let product: PolicyFixture
  beforeAll(async () => {
    product = await PolicyFixture.start()
  }, 60_000)
  afterAll(() => product[Symbol.asyncDispose]())

  let made = 0
  async function tunnel(policy: unknown): Promise<string> {
    made += 1
    return (await product.createTunnel(`t${made}`, { policy })).domain
  }
  const inbound = (type: string, config?: unknown, expressions: string[] = []) =>
    tunnel({ inbound: [{ expressions, actions: [{ type, config }] }] })
  const outbound = (type: string, config?: unknown, expressions: string[] = []) =>
    tunnel({ outbound: [{ expressions, actions: [{ type, config }] }] })

  it('add-headers: the upstream gets them, and the visitor gets those of the response', async () => {
    const policy = {
      inbound: [
        {
          actions: [
            {
              type: 'add-headers',
              config: { headers: { 'X-From': '${conn.client_ip}', 'x-tls': '${conn.tls.version}' } },
            },
          ],
        },
      ],
      outbound: [
        {
          expressions: ['res.status_code == 200'],
          actions: [{ type: 'add-headers', config: { headers: { 'x-saw': '${req.method} ${req.url.path}' } } }],
        },
      ],
    }
    const { headers, visit } = await product.seenBy(await tunnel(policy))
    expect(headers).toMatchObject({ 'x-from': '127.0.0.1', 'x-tls': 'TLSv1.3' })
    expect(visit.headers['x-saw']).toBe('GET /request')
  })

  it('add-headers: host changes for the upstream alone', async () => {
    const domain = await inbound('add-headers', { headers: { host: 'inner.example' } })
    const { headers } = await product.seenBy(domain)
    expect(headers['host']).toBe('inner.example')
    expect(headers['x-forwarded-host']).toContain(domain)
  })

  it('remove-headers: neither side sees what was removed', async () => {
    const policy = {
      inbound: [{ actions: [{ type: 'remove-headers', config: { headers: ['Cookie', 'x-a'] } }] }],
      outbound: [{ actions: [{ type: 'remove-headers', config: { headers: ['content-type'] } }] }],
    }
    const { headers, visit } = await product.seenBy(
      await tunnel(policy),
      '/request',
      '-H',
      'cookie: a=b',
      '-H',
      'X-A: 1',
      '-H',
      'x-b: 2',
    )
    expect(headers).not.toHaveProperty('cookie')
    expect(headers).not.toHaveProperty('x-a')
    expect(headers['x-b']).toBe('2')
    expect(visit.headers).not.toHaveProperty('content-type')
  })

  it('deny: the visitor is refused, and the rest is let through', async () => {
    const domain = await inbound('deny', { status_code: 405 }, ["req.method == 'DELETE'"])
    expect(await product.visit(domain, '/request', '-X', 'DELETE')).toMatchObject({
      status: 405,
      body: Buffer.alloc(0),
    })
    expect((await product.seenBy(domain)).method).toBe('GET')
  })

  it('close-connection: the visitor gets nothing', async () => {
    const domain = await inbound('close-connection', undefined, ["req.url.path == '/x'"])
    expect(await product.visit(domain, '/x')).toMatchObject({ status: 0, exitCode: 92 })
    expect(await product.visit(domain, '/x', '--http1.1')).toMatchObject({ status: 0, exitCode: 52 })
    expect((await product.visit(domain)).status).toBe(200)
  })

  it('custom-response: answers for the upstream in either phase, and response rules see the first', async () => {
    const policy = {
      inbound: [
        {
          expressions: ["req.url.path == '/maintenance'"],
          actions: [{ type: 'custom-response', config: { status_code: 503, body: '<p>${req.url.path}' } }],
        },
        {
          expressions: ["req.url.path == '/large'"],
          actions: [{ type: 'custom-response', config: { body: 'large '.repeat(1000) } }],
        },
        { expressions: ["req.url.path == '/denied'"], actions: [{ type: 'deny' }] },
      ],
      outbound: [
        {
          actions: [
            { type: 'add-headers', config: { headers: { 'x-out': '1' } } },
            { type: 'compress-response', config: { algorithms: ['gzip'] } },
          ],
        },
        {
          expressions: ['res.status_code == 404'],
          actions: [{ type: 'custom-response', config: { status_code: 200, body: 'nothing here' } }],
        },
      ],
    }
    const domain = await tunnel(policy)
    const page = await product.visit(domain, '/maintenance')
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-out': '1',
      'x-content-type-options': 'nosniff',
    })
    expect([page.status, page.body.toString()]).toEqual([503, '<p>/maintenance'])
    const compressed = await product.visit(domain, '/large', '-H', 'accept-encoding: gzip')
    expect(compressed.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(compressed.body).toString()).toBe('large '.repeat(1000))
    const denied = await product.visit(domain, '/denied')
    expect([denied.status, denied.headers['x-out']]).toEqual([403, undefined])
    const replaced = await product.visit(domain, '/status/404')
    expect([replaced.status, replaced.body.toString()]).toEqual([200, 'nothing here'])
    expect((await product.visit(domain, '/maintenance', '-I')).headers['content-length']).toBe('15')
  })

  it('redirect: the visitor is sent on, the rest of the address stays', async () => {
    const domain = await inbound('redirect', { from: '/old/([a-z]+)', to: '/new/$1', status_code: 308 })
    const { status, headers } = await product.visit(domain, '/old/page?x=%2F')
    expect([status, headers['location']?.replace(/:\d+/, '')]).toEqual([308, `https://${domain}/new/page?x=%2F`])
    expect((await product.visit(domain)).status).toBe(200)
  })

  it('url-rewrite: the upstream sees another address, byte for byte', async () => {
    const domain = await inbound('url-rewrite', { from: '/api/v1/', to: '/' })
    expect((await product.seenBy(domain, '/api/v1/request?a=%2e%2e&b=a+b')).url).toBe('/request?a=%2e%2e&b=a+b')
  })

  it('basic-auth: only the listed pair gets in', async () => {
    const domain = await inbound('basic-auth', { credentials: ['anna:correct horse'], realm: 'here' })
    const refused = await product.visit(domain)
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Basic realm="here", charset="UTF-8"'])
    expect((await product.visit(domain, '/', '-u', 'anna:wrong horse')).status).toBe(401)
    expect((await product.visit(domain, '/', '-u', 'anna:correct horse')).status).toBe(200)
  })

  it('restrict-ips: the address of the connection decides, not a header', async () => {
    expect((await product.visit(await inbound('restrict-ips', { allow: ['127.0.0.0/8'] }))).status).toBe(200)
    const closed = await inbound('restrict-ips', { allow: ['10.0.0.0/8'] })
    expect((await product.visit(closed, '/', '-H', 'x-forwarded-for: 10.0.0.1')).status).toBe(403)
  })

  it('restrict-ips: an IP policy of the account decides as it is at the moment, and an unknown one is refused', async () => {
    const { id } = (await product.account.call('POST', '/ip_policies', {})) as { id: string }
    const domain = await inbound('restrict-ips', { ip_policies: [id] })
    expect((await product.visit(domain)).status).toBe(403)
    const rule = { ip_policy_id: id, cidr: '127.0.0.0/8', action: 'allow' }
    const { id: ruleId } = (await product.account.call('POST', '/ip_policy_rules', rule)) as { id: string }
    await vi.waitFor(async () => expect((await product.visit(domain)).status).toBe(200))
    await product.account.call('DELETE', `/ip_policy_rules/${ruleId}`)
    await vi.waitFor(async () => expect((await product.visit(domain)).status).toBe(403))
    await product.account.call('DELETE', `/ip_policies/${id}`)
    expect((await product.visit(domain)).status).toBe(403)
    await expect(inbound('restrict-ips', { ip_policies: [id] })).rejects.toThrow(/there is no IP policy|400/)
  })

  it('restrict-ips: connection rules run too', async () => {
    const domain = await tunnel({
      on_tcp_connect: [{ actions: [{ type: 'restrict-ips', config: { allow: ['10.0.0.0/8'] } }] }],
    })
    expect((await product.visit(domain)).exitCode).not.toBe(0)
  })

  it.each(['on_tcp_connect', 'inbound'])('tcp tunnels: rules of %s decide when a connection arrives', async (phase) => {
    const rules = (allow: string) => ({
      [phase]: [
        { name: `tcp ${phase}`, actions: [{ type: 'log', config: { metadata: { from: '${conn.client_ip}' } } }] },
        { actions: [{ type: 'restrict-ips', config: { allow: [allow] } }] },
      ],
    })
    const visit = async (policy: unknown) => {
      const body = { protocol: 'tcp', forwards_to: `127.0.0.1:${product.upstreamPort}`, policy }
      const { url } = await product.agent.createTunnel(body)
      return product.visitRaw(Number(new URL(url).port))
    }
    expect(await visit({})).toMatchObject({ status: 200, exitCode: 0 })
    expect(await visit(rules('127.0.0.0/8'))).toMatchObject({ status: 200, exitCode: 0 })
    await product.service.process.waitForOutput(
      new RegExp(`"rule":"tcp ${phase}","metadata":\\{"from":"127.0.0.1"`),
      5_000,
    )
    const refused = await visit(rules('10.0.0.0/8'))
    expect(refused.status).toBe(0)
    // Cut before or after curl has sent its request.
    expect([7, 52, 56]).toContain(refused.exitCode)
    await expect(visit({ outbound: [{ actions: [{ type: 'log' }] }] })).rejects.toThrow(/wrong_protocol/)
  })

  it('a policy may come as the text that a list shows, and comes back as it was sent', async () => {
    const text = JSON.stringify(givenPolicy)
    const { domain, reply } = await product.createTunnel('as-text', { policy: text })
    expect(reply).toMatchObject({ policy: text })
    expect((await product.visit(domain)).headers['is-mine']).toBe('1')
    expect((await product.listTunnels()).find((one) => one.domain === domain)?.policy).toBe(text)
    await expect(product.createTunnel('no-object', { policy: '[1]' })).rejects.toThrow(/JSON object|400/)
  })

  it('rate-limit: what is over the limit gets 429 and a time', async () => {
    const domain = await inbound('rate-limit', {
      name: 'n',
      algorithm: 'sliding_window',
      capacity: 2,
      rate: '60s',
      bucket_key: ["getReqHeader('x-key')"],
    })
    const statuses: number[] = []
    for (const key of ['a', 'a', 'a', 'b'])
      statuses.push((await product.visit(domain, '/', '-H', `x-key: ${key}`)).status)
    expect(statuses).toEqual([200, 200, 429, 200])
    expect(Number((await product.visit(domain, '/', '-H', 'x-key: a')).headers['retry-after'])).toBeGreaterThan(50)
  })

  it('set-vars and log: values travel through the rules, and the log names the rule', async () => {
    const vars = [{ tenant: "${req.headers['x-tenant'][0]}" }]
    const domain = await tunnel({
      inbound: [
        { actions: [{ type: 'set-vars', config: { vars } }] },
        {
          name: 'greet',
          expressions: ["vars.tenant == 'acme'"],
          actions: [
            { type: 'log', config: { metadata: { tenant: '${vars.tenant}' } } },
            { type: 'add-headers', config: { headers: { 'x-tenant-name': '${vars.tenant.upperAscii()}' } } },
          ],
        },
      ],
    })
    const { headers } = await product.seenBy(domain, '/request', '-H', 'x-tenant: acme')
    expect(headers['x-tenant-name']).toBe('ACME')
    await product.service.process.waitForOutput(/"rule":"greet","metadata":\{"tenant":"acme"\}/, 5_000)
  })

  it('compress-response: what comes is smaller and decodes to the same', async () => {
    const domain = await outbound('compress-response', { algorithms: ['gzip', 'br'] })
    const path = '/drip?count=400&interval_ms=0'
    const plain = await product.visit(domain, path)
    const gzip = await product.visit(domain, path, '-H', 'accept-encoding: gzip')
    const brotli = await product.visit(domain, path, '-H', 'accept-encoding: br', '--http1.1')
    expect([
      plain.headers['content-encoding'],
      gzip.headers['content-encoding'],
      brotli.headers['content-encoding'],
    ]).toEqual([undefined, 'gzip', 'br'])
    expect(gunzipSync(gzip.body).toString().split('\n')).toHaveLength(401)
    expect(brotliDecompressSync(brotli.body).toString().split('\n')).toHaveLength(401)
    expect(plain.headers['vary']).toBe('accept-encoding')
  })

  it('jwt-validation: without a token, or without its keys, nobody gets in', async () => {
    const domain = await inbound('jwt-validation', {
      issuer: { allow_list: [{ value: 'https://login.example.com/' }] },
      http: { tokens: [{ type: 'jwt', method: 'header', name: 'Authorization', prefix: 'Bearer ' }] },
      // Resolves to loopback: the service does not fetch keys from its own network.
      jws: { allowed_algorithms: ['RS256'], keys: { sources: { additional_jkus: ['https://keys.localhost/'] } } },
    })
    const refused = await product.visit(domain)
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    expect((await product.visit(domain, '/', '-H', 'authorization: Bearer eyJhbGciOiJSUzI1NiJ9.e30.AAAA')).status).toBe(
      500,
    )
  })

  it('circuit-breaker: a failing upstream gets a break', async () => {
    const domain = await inbound('circuit-breaker', {
      volume_threshold: 3,
      error_threshold: 1,
      tripped_duration: '60s',
    })
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await product.visit(domain, '/status/500')).status)
    expect(statuses).toEqual([500, 500, 500, 503])
    expect(Number((await product.visit(domain)).headers['retry-after'])).toBeGreaterThan(50)
  })

  it('forward-internal: another tunnel of the account answers, with its own rules, and no circle is followed', async () => {
    const target = await inbound('add-headers', { headers: { 'x-target': '1' } })
    const domain = await inbound('forward-internal', { url: `https://${target}` })
    const { headers } = await product.seenBy(domain)
    expect(headers['x-target']).toBe('1')
    expect(headers['host']).toContain(domain)
    const missing = await inbound('forward-internal', { url: `https://nobody.${product.service.zone}` })
    expect((await product.visit(missing)).status).toBe(503)
    const optional = await inbound('forward-internal', {
      url: `https://nobody.${product.service.zone}`,
      on_error: 'continue',
    })
    expect((await product.visit(optional)).status).toBe(200)
    const circle = await product.createTunnel('circle', {
      policy: {
        inbound: [
          { actions: [{ type: 'forward-internal', config: { url: `https://circle.${product.service.zone}` } }] },
        ],
      },
    })
    expect((await product.visit(circle.domain)).status).toBe(508)
  })

  it('verify-webhook: a genuine call reaches the upstream with its body whole', async () => {
    const domain = await inbound('verify-webhook', { provider: 'github', secret: 'shared secret' })
    const body = JSON.stringify({ text: 'x'.repeat(50_000) })
    const signature = createHmac('sha256', 'shared secret').update(body).digest('hex')
    const send = (text: string, ...more: string[]) =>
      product.visit(
        domain,
        '/echo',
        '-X',
        'POST',
        '-H',
        'content-type: application/json',
        '-H',
        `x-hub-signature-256: sha256=${signature}`,
        '-d',
        text,
        ...more,
      )
    for (const version of ['--http2', '--http1.1']) {
      expect((await send(body, version)).body.toString()).toBe(body)
      expect(await send(`${body} `, version)).toMatchObject({ status: 403 })
    }
    expect((await send(body, '--http1.1', '-H', 'expect: 100-continue')).body.toString()).toBe(body)
  })

  it('counts what rules do, by their names', async () => {
    const domain = await tunnel({
      inbound: [{ name: 'counted rule', expressions: ["req.headers['x'][0] == 'y'"], actions: [{ type: 'deny' }] }],
    })
    await product.visit(domain)
    await product.visit(domain, '/', '-H', 'x: y')
    const metrics = await (await fetch(`${product.service.apiUrl}/metrics`)).text()
    for (const result of ['matched', 'terminated', 'failed'])
      expect(metrics).toContain(`policy_rules_total{rule="counted rule",phase="request",result="${result}"} 1`)
  })

  it('runs as given or as the defaults say, is listed as it runs, and does so after restarts of the agent', async () => {
    const given = await product.createTunnel('given', { policy: givenPolicy })
    await writeFile(join(product.stateDir, 'default-policy.json'), JSON.stringify(defaultPolicy))
    const defaulted = await product.createTunnel('defaulted')
    const empty = await product.createTunnel('empty', { policy: {} })
    expect([given.reply, defaulted.reply, empty.reply]).toMatchObject([
      { policy: givenPolicy },
      { policy: null },
      { policy: {} },
    ])
    // A change of the defaults is for tunnels to come.
    await writeFile(join(product.stateDir, 'default-policy.json'), '{}')
    for (let round = 0; round < 3; round++) {
      const listed = new Map(
        (await product.listTunnels()).map((record) => [record.domain, JSON.parse(record.policy) as unknown]),
      )
      expect([given, defaulted, empty].map(({ domain }) => listed.get(domain))).toEqual([
        givenPolicy,
        defaultPolicy,
        {},
      ])
      const seen = await Promise.all([given, defaulted, empty].map(async ({ domain }) => headersOnceOnline(domain)))
      expect(seen.map((headers) => [headers['is-mine'], headers['is-default']])).toEqual([
        ['1', undefined],
        [undefined, '1'],
        [undefined, undefined],
      ])
      if (round < 2) await product.restartAgent()
    }
  }, 60_000)

  /** After a restart of the agent its tunnels come back with its session. */
  function headersOnceOnline(domain: string): Promise<Visit['headers']> {
    const visit = async (): Promise<Visit['headers']> => {
      const { status, headers } = await product.visit(domain)
      if (status !== 200) throw new Error(`${domain} answered ${status}`)
      return headers
    }
    return vi.waitFor(visit, { timeout: 20_000, interval: 100 })
  }
})
