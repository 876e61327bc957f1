import type { RunningAgent } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { EdgeWorld } from '../../src/edge-world.ts'
import { eventually } from '../../src/eventually.ts'

const rounds = process.env['TEST_LONG'] === undefined ? 4 : 60

interface Listed {
  readonly tunnels: readonly { public_url: string; tunnel_session: { id: string } }[]
  readonly tunnel_sessions: readonly { id: string }[]
  readonly endpoints: readonly { public_url: string }[]
}

/** An agent and the public addresses that its tunnels have. */
interface Member {
  readonly agent: RunningAgent
  readonly urls: string[]
}

const ascending = (a: number, b: number) => a - b

it('sessions, tunnels and endpoints are listed as they are while agents and their tunnels come and go', async () => {
  await using world = await EdgeWorld.start()
  const get = async (path: string) => (await world.account.call('GET', path)) as Listed
  let members: Member[] = []

  async function agrees(): Promise<void> {
    const urls = members.flatMap((member) => member.urls).toSorted()
    const sizes = members.map((member) => member.urls.length).filter((size) => size > 0)
    await eventually(async () => {
      const [{ tunnels }, { tunnel_sessions: sessions }, { endpoints }] = await Promise.all(
        ['/tunnels', '/tunnel_sessions', '/endpoints'].map(get) as [Promise<Listed>, Promise<Listed>, Promise<Listed>],
      )
      expect(tunnels.map((tunnel) => tunnel.public_url).toSorted()).toEqual(urls)
      expect(endpoints.map((endpoint) => endpoint.public_url).toSorted()).toEqual(urls)
      expect(sessions).toHaveLength(members.length)
      const counts = new Map<string, number>()
      for (const { tunnel_session: session } of tunnels) counts.set(session.id, (counts.get(session.id) ?? 0) + 1)
      expect([...counts.values()].toSorted(ascending)).toEqual(sizes.toSorted(ascending))
      const ids = new Set(sessions.map(({ id }) => id))
      expect([...counts.keys()].every((id) => ids.has(id))).toBe(true)
    })
  }

  async function publish({ agent, urls }: Member, protocol: 'https' | 'tcp' | 'tls'): Promise<void> {
    urls.push((await agent.createTunnel({ protocol, forwards_to: '127.0.0.1:1' })).url)
  }

  for (let round = 0; round < rounds; round += 1) {
    const newcomer: Member = { agent: await world.startAgent(), urls: [] }
    members.push(newcomer)
    await Promise.all((['https', 'tcp', 'tls'] as const).map((protocol) => publish(newcomer, protocol)))
    await agrees()
    const [oldest] = members
    if (oldest === undefined || members.length < 3) continue
    const [deleted] = oldest.urls.splice(0, 1)
    await fetch(`${oldest.agent.apiUrl}/tunnels/${encodeURIComponent(deleted ?? '')}`, { method: 'DELETE' })
    await agrees()
    if (round % 2 === 0) process.kill(oldest.agent.process.pid, 'SIGKILL')
    else await oldest.agent[Symbol.asyncDispose]()
    members = members.slice(1)
    await agrees()
  }
}, 300_000)
