import { expect, it } from 'vitest'
import { type TestApi, engines, startTestApi } from './api-harness.ts'

const secret = 'whsec_4b1d'
const webhook = { provider: 'github', secret }
const policy = { value: `{"inbound":[{"actions":[{"type":"basic-auth","config":{"credentials":["a:${secret}"]}}]}]}` }

/** Everything in the store, as it lies there. */
async function stored({ storage }: TestApi): Promise<{ bodies: string; secrets: string[]; text: string }> {
  const resources = await storage.db.selectFrom('resources').select('body').execute()
  const secrets = await storage.db.selectFrom('secrets').selectAll().execute()
  const bodies = resources.map(({ body }) => body).join('\n')
  return { bodies, secrets: secrets.map(({ name }) => name), text: bodies + JSON.stringify(secrets) }
}

it.each(engines)(
  'on %s secrets of modules are sealed, shown to their owner, and gone with the module',
  async (engine) => {
    await using api = await startTestApi(engine)
    const client = await api.newClient()
    const edge = await client.create('/edges/https')
    const routes = `/edges/https/${edge.id}/routes`
    const route = await client.create(routes, { match_type: 'path_prefix', match: '/', webhook_verification: webhook })
    const module = `${routes}/${route.id}/webhook_verification`
    const shown = { enabled: true, ...webhook }
    expect(route['webhook_verification']).toEqual(shown)
    expect((await client.send('PUT', `${routes}/${route.id}/traffic_policy`, policy)).body['value']).toBe(policy.value)

    const changed = await client.send('PATCH', `${routes}/${route.id}`, { description: 'changed' })
    expect(changed.body).toMatchObject({ description: 'changed', webhook_verification: shown, traffic_policy: policy })
    expect((await client.send('GET', module)).body).toEqual(shown)
    expect((await client.send('GET', `/edges/https/${edge.id}`)).body['routes']).toMatchObject([
      { webhook_verification: shown },
    ])
    const before = await stored(api)
    expect(before.text).not.toContain(secret)
    expect(before.secrets.toSorted((a, b) => a.localeCompare(b))).toEqual(['traffic_policy', 'webhook_verification'])
    expect((await api.management.resources.httpsEdgeRoutes.all())[0]?.body.modules.webhook_verification).toEqual(shown)

    const renewed = { provider: 'stripe', secret: 'another' }
    expect((await client.send('PUT', module, renewed)).body).toEqual({ enabled: true, ...renewed })
    expect((await client.send('DELETE', module)).status).toBe(204)
    expect((await client.send('GET', module)).status).toBe(404)
    expect((await stored(api)).secrets).toEqual(['traffic_policy'])
  },
)
