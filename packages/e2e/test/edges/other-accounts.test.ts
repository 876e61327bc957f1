import { startHttpUpstream } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { EdgeWorld } from '../../src/edge-world.ts'

it('agents of another account with the same labels never get the traffic of a group, not even when nobody else is there', async () => {
  await using world = await EdgeWorld.start()
  await using upstream = await startHttpUpstream()
  const other = await world.service.createAccount('other@example.com')
  const labels = { app: 'shop' }
  const [own, foreign] = await Promise.all([world.startAgent(), world.startAgent(other)])
  await foreign.createTunnel({ forwards_to: `127.0.0.1:${upstream.port}`, labels })
  const { id: backend_id } = await world.create('/backends/tunnel_group', { labels })
  const { id: edge, host } = await world.createEdge('shop')
  await world.create(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/', backend: { backend_id } })
  expect(await world.visit(host, '/')).toMatchObject({ status: 503 })
  expect(await world.account.call('GET', `/backends/tunnel_group/${backend_id}`)).toMatchObject({ tunnels: [] })

  // Who tries to take the traffic by the name of the edge is refused as well.
  await expect(foreign.createTunnel({ forwards_to: `127.0.0.1:${upstream.port}`, domain: host })).rejects.toThrow(
    /answered 4/,
  )
  await expect(other.call('POST', '/edges/https', { hostports: [`${host}:443`] })).rejects.toThrow(/ answered 400/)
  await expect(other.call('POST', '/reserved_domains', { domain: host })).rejects.toThrow(/ answered 4\d\d/)
  for (const path of [`/edges/https/${edge}`, `/edges/https/${edge}/routes`, `/backends/tunnel_group/${backend_id}`])
    await expect(other.call('GET', path)).rejects.toThrow(/ answered 404/)

  await own.createTunnel({ forwards_to: '127.0.0.1:1', labels })
  for (let visit = 0; visit < 5; visit++) expect(await world.visit(host, '/')).toMatchObject({ status: 502 })
})
