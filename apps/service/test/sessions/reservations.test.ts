import { expect, it } from 'vitest'
import { reservedNames } from '../../src/sessions/reserved-names.ts'
import { zoneNames } from '../../src/sessions/zone-names.ts'
import { bindOf, listen, TestAgent, zone } from './sessions-harness.ts'

/** Reservations that a test makes while agents bind. */
function listenWith(owners: Map<string, string>, beforeAnswer: () => Promise<void> = () => Promise.resolve()) {
  const ownerOf = async (name: string) => {
    const owner = owners.get(name) ?? owners.get(name.replace(/^[^.]+/, '*'))
    await beforeAnswer()
    return owner
  }
  return listen({ names: reservedNames({ ownerOf, isHeldByEdge: () => false }, zoneNames(zone, []), zone) })
}

it.each(['shop.tunnel.test', '*.tunnel.test'])(
  'a reservation of %s takes free names from agents of others, and leaves its own',
  async (reserved) => {
    const owners = new Map<string, string>()
    await using service = await listenWith(owners)
    const [mine] = await TestAgent.online(service.url)
    const [other] = await TestAgent.online(service.url, { authtoken: 'token-other' })
    await mine.bind('a', { domain: 'www.tunnel.test' })
    await other.bind('b', { domain: 'shop.tunnel.test' })
    owners.set(reserved, 'ac_1')
    await service.sessions.applyReservation(reserved)
    expect(await other.message('stopTunnel')).toMatchObject({
      bindId: 'b',
      error: { reason: 'bind_name_not_reserved' },
    })
    expect(service.sessions.find('shop.tunnel.test')).toEqual({ kind: 'unknown' })
    expect(service.sessions.find('www.tunnel.test').kind).toBe('online')
    expect((await mine.bind('c', { domain: 'shop.tunnel.test' })).error).toBeNull()
  },
)

it('a bind that was allowed just before the name was reserved is decided again', async () => {
  const owners = new Map<string, string>()
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await using service = await listenWith(owners, () => {
    onAsked()
    return released
  })
  const [other] = await TestAgent.online(service.url, { authtoken: 'token-other' })
  const bound = other.bind('b', { domain: 'shop.tunnel.test' })
  await asked
  owners.set('shop.tunnel.test', 'ac_1')
  await service.sessions.applyReservation('shop.tunnel.test')
  release()
  expect((await bound).error).toMatchObject({ reason: 'bind_name_not_reserved' })
  expect(service.sessions.find('shop.tunnel.test')).toEqual({ kind: 'unknown' })
})

it('of 100 binds of two accounts at the same time, exactly one gets the name', async () => {
  await using service = await listenWith(new Map())
  const tokens = ['token-all', 'token-other']
  const agents = await Promise.all(
    Array.from({ length: 10 }, async (_agent, index) => {
      const [agent] = await TestAgent.online(service.url, { authtoken: tokens[index % 2] ?? '', installId: `${index}` })
      return agent
    }),
  )
  const each = 10
  await Promise.all(
    agents.map((agent, index) => {
      for (let i = 0; i < each; i++) agent.session.send(bindOf(`${index}-${i}`, { domain: 'shop.tunnel.test' }))
      return agent.message('bindResult', each - 1)
    }),
  )
  const results = agents.flatMap(({ messages }) => messages.filter((message) => message.type === 'bindResult'))
  expect(results.filter(({ error }) => error === null).length).toBe(1)
})
