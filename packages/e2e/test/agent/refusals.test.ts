import { join } from 'node:path'
import { fromSource, type RunningAgent, startAgent, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curl, curlJson } from '../../src/curl.ts'
import { eventually } from '../../src/eventually.ts'
import { Stack } from '../../src/stack.ts'

let stack: Stack

beforeAll(async () => {
  stack = await Stack.start()
})
afterAll(() => stack[Symbol.asyncDispose]())

describe('an agent that may not connect says why, in its log and its status', () => {
  const tokens = [
    { name: 'a token of no known form', reason: 'authtoken_malformed', token: () => 'not-a-token' },
    {
      name: 'a token that was never issued',
      reason: 'authtoken_invalid',
      token: () => stack.agentSetup.authtoken.replace(/.{8}$/, 'AAAAAAAA'),
    },
    { name: 'a revoked token', reason: 'authtoken_revoked', token: revokedToken },
  ]

  it.each(tokens)('$name: $reason', async ({ token, reason }) => {
    await using dir = await tempDir()
    await using agent = await agentWith(await token(), join(dir.path, 'agent'))
    await eventually(async () => expect((await curl(`${agent.apiUrl}/status`)).body).toContain(reason))
    expect(agent.process.output()).toContain(reason)
    expect((await curl(`${agent.apiUrl}/readyz`)).status).toBe(503)
    expect(agent.process.output()).not.toContain(stack.agentSetup.authtoken)
  })
})

it('a name outside of the ACL is refused for that record alone, and nothing is stored', async () => {
  await using dir = await tempDir()
  const { token } = await stack.account.createAuthtoken(['bind:*.sitea.tunnel.localhost'])
  await using agent = await agentWith(token, join(dir.path, 'agent'))
  await eventually(async () => expect((await curl(`${agent.apiUrl}/readyz`)).status).toBe(200))
  const create = (domain: string): ReturnType<RunningAgent['createTunnel']> =>
    agent.createTunnel({ forwards_to: `127.0.0.1:${stack.upstream.port}`, domain })
  await create('device123.sitea.tunnel.localhost')
  for (const foreign of ['evil-sitea.tunnel.localhost', 'sitea.tunnel.localhost', 'other.tunnel.localhost']) {
    await expect(create(foreign)).rejects.toThrow(/403.*ACL/)
  }
  expect((await curl(stack.httpUrl('device123.sitea.tunnel.localhost'))).status).toBe(200)
  expect(await curlJson(`${agent.apiUrl}/tunnels`)).toHaveLength(1)
})

it('a name that another agent serves is refused', async () => {
  await using dir = await tempDir()
  const host = await stack.publish('shared')
  const { token } = await stack.account.createAuthtoken()
  await using agent = await agentWith(token, join(dir.path, 'agent'))
  await eventually(async () => expect((await curl(`${agent.apiUrl}/readyz`)).status).toBe(200))
  await expect(agent.createTunnel({ forwards_to: 'localhost:1', domain: host })).rejects.toThrow(/409/)
  expect(await curlJson(`${agent.apiUrl}/tunnels`)).toEqual([])
})

it('a restart is refused on Windows, by its reason, and the session goes on; a stop is not', async () => {
  await using dir = await tempDir()
  const { token } = await stack.account.createAuthtoken()
  await using agent = await startAgent({
    ...stack.agentSetup,
    authtoken: token,
    stateDir: join(dir.path, 'agent'),
    program: fromSource('apps/device-agent/src/main.ts', ['--import', onWindows]),
  })
  await agent.untilOnline()
  const { session } = (await curlJson(`${agent.apiUrl}/status`)) as { session: { session_id: string } }
  const path = `/tunnel_sessions/${session.session_id}`
  expect(await stack.account.call('GET', path)).toMatchObject({ os: 'win32' })

  const refused = await stack.account.call('POST', `${path}/restart`, {}).catch((error: Error) => error.message)
  expect(JSON.parse(String(refused).replace(/^.* answered 400: /, ''))).toMatchObject({
    error_code: 'ERR_SERVICE_804',
    status_code: 400,
    msg: 'The agent cannot restart on command: restart is not supported on Windows.',
  })
  expect(await curlJson(`${agent.apiUrl}/status`)).toMatchObject({ session: { ...session, state: 'online' } })

  await stack.account.call('POST', `${path}/stop`, {})
  expect(await agent.process.exited).toEqual({ code: 0, signal: null })
})

/** What the agent knows of the system under it is `process.platform`; paths and files stay those of this machine. */
const onWindows = `data:text/javascript,Object.defineProperty(process,'platform',{value:'win32'})`

async function revokedToken(): Promise<string> {
  const { id, token } = await stack.account.createAuthtoken()
  await stack.account.call('DELETE', `/credentials/${id}`)
  return token
}

function agentWith(authtoken: string, stateDir: string): Promise<RunningAgent> {
  return startAgent({ ...stack.agentSetup, authtoken, stateDir })
}
