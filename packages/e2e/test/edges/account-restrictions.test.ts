import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { curl } from '../../src/curl.ts'
import { eventually } from '../../src/eventually.ts'
import { openSession } from '../../src/session-client.ts'
import { Stack } from '../../src/stack.ts'

/** Another address of this machine than 127.0.0.1, which the test's own calls come from. */
const elsewhere = '127.0.0.77'

interface Made {
  readonly id: string
}

it('restrictions of the account guard endpoints, the API and agents, act with the change, and lock nobody out', async () => {
  await using stack = await Stack.start()
  const { account, service } = stack
  const create = async (path: string, body: object) => ((await account.call('POST', path, body)) as Made).id
  const policy = await create('/ip_policies', {})
  const rule = (cidr: string, action: string) => create('/ip_policy_rules', { ip_policy_id: policy, cidr, action })
  const home = await rule('127.0.0.1/32', 'allow')
  const host = await stack.publish('app')
  const { url } = await stack.agent.createTunnel({ protocol: 'tcp', forwards_to: `127.0.0.1:${stack.upstream.port}` })
  const visit = async (from: string) => (await curl(stack.httpUrl(host), '--interface', from)).status
  const visitRaw = async (localAddress: string) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress })
    await once(socket, 'connect')
    socket.write('GET / HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n')
    return text(socket).catch((error: NodeJS.ErrnoException) => error.code)
  }

  // Reported only, until it is enforced.
  const endpoints = await create('/ip_restrictions', { type: 'endpoints', ip_policy_ids: [policy] })
  expect(await visit(elsewhere)).toBe(200)
  await service.process.waitForOutput(/an address outside of the account restriction/)
  await account.call('PATCH', `/ip_restrictions/${endpoints}`, { enforced: true })
  expect(await visit(elsewhere)).toBe(403)
  expect(await visit('127.0.0.1')).toBe(200)
  expect(await visitRaw(elsewhere)).toBe('ECONNRESET')
  expect(await visitRaw('127.0.0.1')).toContain('Hello, World!')
  const guest = await rule(`${elsewhere}/32`, 'allow')
  expect(await visit(elsewhere)).toBe(200)
  await account.call('DELETE', `/ip_policy_rules/${guest}`)
  expect(await visit(elsewhere)).toBe(403)
  await account.call('DELETE', `/ip_restrictions/${endpoints}`)
  expect(await visit(elsewhere)).toBe(200)

  // The API: not without the caller's own address.
  const strangers = await create('/ip_policies', {})
  await expect(create('/ip_restrictions', { type: 'api', ip_policy_ids: [strangers], enforced: true })).rejects.toThrow(
    /ERR_SERVICE_90310/,
  )
  const api = await create('/ip_restrictions', { type: 'api', ip_policy_ids: [policy], enforced: true })
  const call = (from: string) =>
    curl(
      `${service.apiUrl}/tunnels`,
      '--interface',
      from,
      '-H',
      `Authorization: Bearer ${account.apiKey}`,
      '-H',
      'Service-Version: 2',
    )
  const refused = await call(elsewhere)
  expect([refused.status, JSON.parse(refused.body)]).toMatchObject([403, { error_code: 'ERR_SERVICE_220' }])
  expect((await call('127.0.0.1')).status).toBe(200)
  // The rule is taken away after all, and the operator lets the account in again while the service runs.
  await account.call('DELETE', `/ip_policy_rules/${home}`)
  expect((await call('127.0.0.1')).status).toBe(403)
  expect(await service.command('ip-restriction', 'release', '--account', account.id)).toContain('api')
  expect((await call('127.0.0.1')).status).toBe(200)
  await account.call('DELETE', `/ip_restrictions/${api}`)

  // Agents: sent away at once, and refused with the reason.
  await create('/ip_restrictions', { type: 'agent', ip_policy_ids: [strangers], enforced: true })
  await eventually(async () => expect(await visit('127.0.0.1')).toBe(503))
  const { token: authtoken } = await account.createAuthtoken()
  await expect(openSession({ connectUrl: service.connectUrl('plain'), authtoken })).rejects.toThrow(/127\.0\.0\.1/)
})
