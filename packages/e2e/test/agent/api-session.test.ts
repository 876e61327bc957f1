import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curl, curlJson } from '../../src/curl.ts'
import { eventually } from '../../src/eventually.ts'
import { Stack } from '../../src/stack.ts'

const agentDomain = 'agent.sitea.tunnel.localhost'

/** The longest pause of an agent between two tries, and some. */
const RECONNECT_LIMIT_MS = 35_000

let stack: Stack

beforeAll(async () => {
  stack = await Stack.start({ agentEnv: { AGENT_DOMAIN: agentDomain } })
})
afterAll(() => stack[Symbol.asyncDispose]())

const apis = [
  {
    name: 'the loopback address',
    device: 'device123.sitea.tunnel.localhost',
    api: () => ({ url: stack.agent.apiUrl, trust: [] as string[] }),
  },
  {
    name: 'the agent domain',
    device: 'device456.sitea.tunnel.localhost',
    api: () => ({ url: stack.httpsUrl(agentDomain, ''), trust: ['--cacert', stack.service.caFile] }),
  },
]

describe.each(apis)('the agent API on $name', ({ device, api }) => {
  const call = (path: string, ...args: string[]): ReturnType<typeof curl> => {
    const { url, trust } = api()
    return curl(url + path, ...trust, ...args)
  }
  const json = async (path: string, ...args: string[]): Promise<unknown> => JSON.parse((await call(path, ...args)).body)

  it('lists, creates, serves, survives both restarts, deletes, and is gone', { timeout: 120_000 }, async () => {
    await eventually(async () => expect(await json('/tunnels')).toEqual([]))

    const forwardsTo = `localhost:${stack.upstream.port}`
    const body = JSON.stringify({ protocol: 'http', forwards_to: forwardsTo, domain: device })
    const created = await call('/tunnels', '-X', 'POST', '-H', 'Content-Type: application/json', '-d', body)
    expect(created.status).toBe(200)
    const record = JSON.parse(created.body) as { url: string; policy: unknown }
    expect(record).toEqual({ url: record.url, protocol: 'http', forwards_to: forwardsTo, domain: device, policy: null })
    expect(new URL(record.url)).toMatchObject({ protocol: 'https:', hostname: device })

    const [listed] = (await json('/tunnels')) as [{ policy: string }]
    expect(listed).toMatchObject({ url: record.url, domain: device })
    expect(JSON.parse(listed.policy)).toMatchObject({ inbound: [], outbound: [{ name: expect.any(String) }] })

    await expectServed(device)
    await stack.restartAgent()
    await expectServed(device)
    await stack.restartService()
    await expectServed(device)
    await eventually(async () => expect(await json('/tunnels')).toEqual([listed]), RECONNECT_LIMIT_MS)

    const deleted = await call(`/tunnels/${device.split('.')[0]}`, '-X', 'DELETE')
    expect(deleted.status).toBe(200)
    expect(JSON.parse(deleted.body)).toEqual({ detail: 'Tunnel deleted' })
    expect((await curl(stack.httpUrl(device))).status).toBe(404)
    const again = await call(`/tunnels/${device}`, '-X', 'DELETE')
    expect(again.status).toBe(404)
    expect(JSON.parse(again.body)).toEqual({ detail: 'Tunnel not found' })
    expect(await json('/tunnels')).toEqual([])
  })
})

async function expectServed(host: string): Promise<void> {
  await eventually(async () => {
    const answer = await curl(stack.httpsUrl(host), '--cacert', stack.service.caFile)
    expect(answer).toMatchObject({ status: 200, body: 'Hello, World!' })
  }, RECONNECT_LIMIT_MS)
}

it('lists the session of the agent in the management API', async () => {
  const { tunnel_sessions: sessions } = (await stack.account.call('GET', '/tunnel_sessions')) as {
    tunnel_sessions: { id: string; region: string; transport: string }[]
  }
  expect(sessions).toHaveLength(1)
  expect(sessions[0]).toMatchObject({ id: expect.stringMatching(/^ts_/), region: 'local' })
})

it('refuses a second record for a domain that is taken', async () => {
  const host = await stack.publish('taken')
  const body = JSON.stringify({ forwards_to: 'localhost:1', domain: host })
  const answer = await curlJson(`${stack.agent.apiUrl}/tunnels`, '-H', 'Content-Type: application/json', '-d', body)
  expect(answer).toHaveProperty('detail')
})
