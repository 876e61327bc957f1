import { describe, expect, it } from 'vitest'
import { compile, oneAction, problemsOf, RecordingHost, runRequest, warningsOf } from '../harness.ts'

const config = '$.inbound[0].actions[0].config'

describe('redirect', () => {
  const redirect = (fields: object) => oneAction('redirect', fields)
  const answer = async (fields: object, url: string) => (await runRequest(compile(redirect(fields)), { url })).outcome

  it('replaces the match in the full address and keeps the rest', async () => {
    expect(
      await answer({ from: '/blog/([0-9]+)', to: '/posts/$1', status_code: 308 }, 'https://a.example/blog/7?x=1'),
    ).toEqual({
      kind: 'respond',
      status: 308,
      headers: [['location', 'https://a.example/posts/7?x=1']],
      body: '',
      runsResponsePhase: true,
    })
  })

  it('goes anywhere without from, and goes on when the address stays', async () => {
    expect(await answer({ to: 'https://b.example${req.url.uri}' }, 'https://a.example/x?y')).toMatchObject({
      status: 302,
      headers: [['location', 'https://b.example/x?y']],
    })
    expect(await answer({ from: 'nothing', to: 'x' }, 'https://a.example/')).toBeUndefined()
    expect(await answer({ to: '${req.url}' }, 'https://a.example/')).toBeUndefined()
  })

  it.each([
    'javascript:alert(1)',
    '//evil.example',
    'https://a.example/\r\nx: y',
    'data:text/html,x',
    'https://a.example/ b',
  ])('never sends a visitor to %j from a query parameter', async (target) => {
    const host = new RecordingHost()
    const policy = compile(redirect({ to: "${getQueryParam('to')[0]}" }), host)
    expect(
      (await runRequest(policy, { url: `https://a.example/?to=${encodeURIComponent(target)}` })).outcome,
    ).toBeUndefined()
    expect(host.failures).toHaveLength(1)
  })

  it.each([
    [{ to: '/x' }, 'to', 'invalid_url'],
    [{ to: 'javascript:x' }, 'to', 'invalid_url'],
    [{ from: '(', to: 'x' }, 'from', 'invalid_regex'],
    [{ from: '(?!x)', to: 'x' }, 'from', 'invalid_regex'],
    [{ from: 'x'.repeat(1025), to: 'x' }, 'from', 'invalid_regex'],
    [{ from: '(a)', to: '$2' }, 'to', 'invalid_regex'],
    [{ to: 'https://x', status_code: 304 }, 'status_code', 'out_of_range'],
    [{ to: 'https://x', headers: { location: 'y' } }, 'headers.location', 'header_not_allowed'],
    [{ from: 'x' }, 'to', 'missing_field'],
  ])('refuses %j', (fields, path, code) => {
    expect(problemsOf(redirect(fields))).toContainEqual(expect.objectContaining({ path: `${config}.${path}`, code }))
  })

  it('warns of a pattern that begins with a path', () => {
    expect(warningsOf(redirect({ from: '^/blog', to: 'x' }))).toEqual([
      expect.objectContaining({ path: `${config}.from`, code: 'anchored_path' }),
    ])
  })
})

describe('url-rewrite', () => {
  const rewrite = (fields: object) => oneAction('url-rewrite', fields)
  const url = async (fields: object, from: string) =>
    (await runRequest(compile(rewrite(fields)), { url: from })).exchange.request?.url

  it('replaces all matches, with groups', async () => {
    expect(await url({ from: '/v([0-9])/', to: '/$1/v/' }, 'https://a.example/v1/v2/x')).toBe(
      'https://a.example/1/v/v2/x',
    )
    expect(await url({ from: '-', to: '' }, 'https://a.example/a-b-c')).toBe('https://a.example/abc')
    expect(await url({ from: 'a.example/(.*)', to: 'a.example/$1_x$$' }, 'https://a.example/p')).toBe(
      'https://a.example/p_x$$',
    )
  })

  it('keeps encoded characters as they are', async () => {
    expect(await url({ from: '/old/', to: '/new/' }, 'https://a.example/old/%2e%2e/a%2Fb/./c')).toBe(
      'https://a.example/new/%2e%2e/a%2Fb/./c',
    )
  })

  it('changes the Host header with the host, and is seen by later rules', async () => {
    const rules = [
      { actions: [{ type: 'url-rewrite', config: { from: 'a\\.example', to: 'b.example:81' } }] },
      {
        expressions: ["req.url.host == 'b.example' && req.url.port == 81 && req.url.raw.contains('a.example')"],
        actions: [{ type: 'deny' }],
      },
    ]
    const { requestHeaders, outcome } = await runRequest(compile({ inbound: rules }), { url: 'https://a.example/x' })
    expect(requestHeaders).toEqual(['host: b.example:81'])
    expect(outcome).toMatchObject({ status: 403 })
  })

  it.each(['/x y', '/\r\nx', 'ftp://x'])('keeps the original when the result would hold %j', async (to) => {
    const host = new RecordingHost()
    const policy = compile(rewrite({ from: '^.*$', to: `\${getQueryParam('t')[0]}` }), host)
    const { exchange } = await runRequest(policy, { url: `https://a.example/?t=${encodeURIComponent(to)}` })
    expect(exchange.request?.isRewritten).toBe(false)
    expect(host.failures).toHaveLength(1)
  })

  it('fails, and changes nothing, when a visitor turns the pattern into an invalid one', async () => {
    const host = new RecordingHost()
    const policy = compile(rewrite({ from: "${getQueryParam('f')[0]}", to: 'x' }), host)
    const { exchange } = await runRequest(policy, { url: 'https://a.example/?f=(' })
    expect(exchange.request?.isRewritten).toBe(false)
    expect(host.failures[0]?.what).toBe('url-rewrite')
  })
})
