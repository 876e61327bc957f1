import { describe, expect, it } from 'vitest'
import {
  compile,
  oneAction,
  problemsOf,
  RecordingHost,
  runConnect,
  runRequest,
  type Sample,
  warningsOf,
} from '../harness.ts'

const config = '$.inbound[0].actions[0].config'
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

describe('basic-auth', () => {
  const auth = (fields: object = {}) =>
    oneAction('basic-auth', { credentials: ['anna:correct horse', 'bob:with:colons'], ...fields })
  const status = async (headers: Sample['headers'], fields?: object) => {
    const { outcome } = await runRequest(compile(auth(fields)), headers ? { headers } : {})
    return outcome?.kind === 'respond' ? outcome.status : undefined
  }

  it('lets a listed pair in', async () => {
    expect(await status({ authorization: basic('anna:correct horse') })).toBeUndefined()
    expect(await status({ Authorization: basic('bob:with:colons') })).toBeUndefined()
  })

  it.each([
    ['no header', undefined],
    ['a wrong password', { authorization: basic('anna:wrong') }],
    ['another user with the password', { authorization: basic('bob:correct horse') }],
    ['an empty password', { authorization: basic('anna:') }],
    ['no colon', { authorization: basic('anna') }],
    ['another scheme', { authorization: `Bearer ${Buffer.from('anna:correct horse').toString('base64')}` }],
    ['proxy authorization', { 'proxy-authorization': basic('anna:correct horse') }],
    ['garbage', { authorization: 'Basic %%%' }],
    [
      'two headers',
      [
        ['authorization', basic('anna:correct horse')],
        ['authorization', basic('x:y')],
      ],
    ],
  ] as const)('refuses %s with a challenge', async (_what, headers) => {
    const { outcome } = await runRequest(compile(auth()), headers ? { headers } : {})
    expect(outcome).toMatchObject({
      status: 401,
      headers: [['www-authenticate', 'Basic realm="service", charset="UTF-8"']],
    })
  })

  it('only reports when it does not enforce', async () => {
    const report = {
      expressions: ['actions.service.basic_auth.credentials.authorized == false'],
      actions: [{ type: 'deny', config: { status_code: 418 } }],
    }
    const rules = {
      inbound: [{ actions: [{ type: 'basic-auth', config: { credentials: ['a:12345678'], enforce: false } }] }, report],
    }
    expect((await runRequest(compile(rules))).outcome).toMatchObject({ status: 418 })
  })

  it('refuses the request when a credential cannot be worked out', async () => {
    const host = new RecordingHost()
    const policy = compile(auth({ credentials: ["anna:${req.headers['nope'][0]}"] }), host)
    expect((await runRequest(policy, { headers: { authorization: basic('anna:') } })).outcome).toMatchObject({
      status: 500,
    })
    expect(JSON.stringify(host.failures)).not.toContain('anna')
  })

  it.each([
    [{ credentials: [] }, 'credentials', 'missing_field'],
    [{ credentials: Array.from({ length: 11 }, (_, i) => `u${i}:12345678`) }, 'credentials', 'too_many'],
    [{ credentials: ['no colon here'] }, 'credentials[0]', 'invalid_header_value'],
    [{ credentials: ["${'a:12345678'}"] }, 'credentials[0]', 'invalid_header_value'],
    [{ credentials: ['a:1234567'] }, 'credentials[0]', 'out_of_range'],
    [{ credentials: [`a:${'x'.repeat(129)}`] }, 'credentials[0]', 'too_long'],
    [{ credentials: ['a:1234\n5678'] }, 'credentials[0]', 'invalid_header_value'],
    [{ credentials: ['a:12345678'], realm: 'ü' }, 'realm', 'invalid_header_value'],
    [{ credentials: ['a:12345678'], realm: 'x'.repeat(129) }, 'realm', 'too_long'],
    [{ credentials: ['a:12345678'], enforce: 'yes' }, 'enforce', 'wrong_type'],
  ])('refuses the configuration %j', (fields, path, code) => {
    expect(problemsOf(oneAction('basic-auth', fields))).toContainEqual(
      expect.objectContaining({ path: `${config}.${path}`, code }),
    )
  })
})

describe('restrict-ips', () => {
  const restrict = (fields: object, host?: RecordingHost) => compile(oneAction('restrict-ips', fields), host)
  const isLetIn = async (fields: object, clientIp: string, host?: RecordingHost, headers?: Sample['headers']) =>
    (await runRequest(restrict(fields, host), { clientIp, ...(headers && { headers }) })).outcome === undefined

  it.each([
    [{ allow: ['10.0.0.0/8'] }, '10.9.9.9', true],
    [{ allow: ['10.0.0.0/8'] }, '11.0.0.1', false],
    [{ allow: ['10.0.0.0/8'] }, '::ffff:10.0.0.1', true],
    [{ allow: ['10.0.0.0/8'], deny: ['10.1.0.0/16'] }, '10.1.2.3', false],
    [{ allow: ['10.1.2.3'], deny: ['10.0.0.0/8'] }, '10.1.2.3', false],
    [{ allow: ['2001:db8::/32'] }, '2001:db8::1', true],
    [{ allow: ['::/0'] }, '10.0.0.1', false],
    [{ deny: ['10.0.0.0/8'] }, '192.0.2.1', false],
    [{ allow: ['0.0.0.0/0', '::/0'], deny: ['10.0.0.0/8'] }, '192.0.2.1', true],
  ])('%j lets %s in: %s', async (fields, clientIp, expected) => expect(await isLetIn(fields, clientIp)).toBe(expected))

  it('never takes the address from a header', async () => {
    const headers = { 'x-forwarded-for': '10.0.0.1', forwarded: 'for=10.0.0.1', 'x-real-ip': '10.0.0.1' }
    expect(await isLetIn({ allow: ['10.0.0.0/8'] }, '192.0.2.1', undefined, headers)).toBe(false)
  })

  it('asks IP policies, where a denial wins', async () => {
    const host = new RecordingHost()
    host.ipPolicy = (id) =>
      id === 'ipp_1'
        ? {
            decide: (ip) =>
              ip === '10.0.0.1' ? { action: 'deny', cidr: '10.0.0.1/32' } : { action: 'allow', cidr: '0.0.0.0/0' },
          }
        : undefined
    expect(await isLetIn({ ip_policies: ['ipp_1'] }, '10.0.0.2', host)).toBe(true)
    expect(await isLetIn({ ip_policies: ['ipp_1'], allow: ['10.0.0.0/8'] }, '10.0.0.1', host)).toBe(false)
    expect(problemsOf(oneAction('restrict-ips', { ip_policies: ['ipp_2'] }), 'http', host)).toEqual([
      expect.objectContaining({ path: `${config}.ip_policies[0]`, code: 'unknown_ip_policy' }),
    ])
  })

  it('refuses everybody when a block cannot be worked out', async () => {
    expect((await runRequest(restrict({ allow: ['${vars.nope}'] }))).outcome).toMatchObject({ status: 500 })
    expect((await runRequest(restrict({ allow: ["${'not a block'}"] }))).outcome).toMatchObject({ status: 500 })
  })

  it('closes connections of TCP tunnels', async () => {
    const policy = compile(oneAction('restrict-ips', { allow: ['10.0.0.0/8'] }), undefined, 'tcp')
    expect(await runConnect(policy, '192.0.2.1')).toEqual({ kind: 'close' })
    expect(await runConnect(policy, '10.0.0.1')).toBeUndefined()
  })

  it('only reports when it does not enforce', async () => {
    const rules = [
      { actions: [{ type: 'restrict-ips', config: { allow: ['10.0.0.0/8'], enforce: false } }] },
      {
        expressions: ["actions.ngrok.restrict_ips.action == 'deny'"],
        actions: [{ type: 'deny', config: { status_code: 418 } }],
      },
    ]
    expect((await runRequest(compile({ inbound: rules }))).outcome).toMatchObject({ status: 418 })
  })

  it.each([
    [{}, '', 'missing_field'],
    [{ allow: ['010.0.0.1/8'] }, '.allow[0]', 'invalid_cidr'],
    [{ allow: ['10.0.0.0/33'] }, '.allow[0]', 'invalid_cidr'],
    [{ deny: ['x', '::/129'] }, '.deny[1]', 'invalid_cidr'],
    [{ allow: '10.0.0.0/8' }, '.allow', 'wrong_type'],
  ])('refuses the configuration %j', (fields, path, code) => {
    expect(problemsOf(oneAction('restrict-ips', fields))).toContainEqual(
      expect.objectContaining({ path: config + path, code }),
    )
  })

  it('warns of a list that only denies', () => {
    expect(warningsOf(oneAction('restrict-ips', { deny: ['10.0.0.0/8'] }))).toEqual([
      expect.objectContaining({ code: 'deny_only_list' }),
    ])
  })
})
