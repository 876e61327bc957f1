import { throwAwayCertificate } from '../throw-away-certificate.ts'
import type { DashboardWorld } from './dashboard-world.ts'
import { type TextPlace, textPlaces } from './text-places.ts'

/** Runs wherever a page takes a text for markup, for an address, or for a template. */
export const script = `javascript:window.pwned=1//"'><img src=x onerror=window.pwned=1><script>window.pwned=1</script>{{constructor.constructor('window.pwned=1')()}}`
/** For places of few characters. */
export const shortScript = '"><img src=x onerror=window.pwned=1>'
const withoutSpace = `javascript:Object.assign(window,{pwned:1})//"'><script>Object.assign(window,{pwned:1})</script>`

/** The forms in which a place may accept it: as it is, as a path, as a label, as a rule, short. */
const spellings = [script, `/${script}`, `/${encodeURI(script)}`, withoutSpace, `bind:${withoutSpace}=x`, shortScript]

export interface Planted {
  /** Below the dashboard. */
  readonly page: string
  readonly id: string
  /** Places of which the API refuses every form; all others hold a script. */
  readonly refused: readonly string[]
}

interface Recipe {
  readonly path: string
  readonly page: string
  /** What must be right for anything to be accepted. */
  readonly needed: object
}

/** Makes one resource of every kind, with a script in every text of its description in `/openapi.json` that takes one. */
export async function plantScripts(world: DashboardWorld): Promise<readonly Planted[]> {
  const { service } = world
  const { paths } = (await (await fetch(`${service.apiUrl}/openapi.json`)).json()) as OpenApi
  const schemaOf = (path: string) => paths[path]?.post?.requestBody?.content['application/json'].schema ?? {}
  const planted: Planted[] = []
  const idOn = (page: string) => planted.find((one) => one.page === page)?.id ?? ''
  const plant = async ({ path, page, needed }: Recipe, itsPath = path) => {
    planted.push(await plantOne(world, itsPath, page, needed, textPlaces(schemaOf(path))))
  }
  await Promise.all((await independentRecipes(service.zone)).map((recipe) => plant(recipe)))
  await Promise.all(dependentRecipes(idOn, service.zone).map((recipe) => plant(recipe)))
  const edgeId = idOn('edges')
  const routes = '/edges/https/{edge_id}/routes'
  await plant({ path: routes, page: 'edges', needed: routeNeeds(idOn) }, routes.replace('{edge_id}', edgeId))
  return planted
}

interface OpenApi {
  readonly paths: Record<
    string,
    {
      readonly post?: {
        readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: object } } }
      }
    }
  >
}

async function plantOne(
  world: DashboardWorld,
  path: string,
  page: string,
  needed: object,
  places: readonly TextPlace[],
): Promise<Planted> {
  let body: unknown = needed
  const refused: string[] = []
  for (const place of places) {
    const fitting = spellings.filter((text) => place.pattern.test(text)).map((text) => place.put(body, text))
    if (fitting.length === 0) continue
    const accepted = await firstAccepted(world, path, fitting)
    if (accepted === undefined) refused.push(place.name)
    else body = accepted
  }
  const reply = await world.send('POST', path, body)
  if (!reply.ok) throw new Error(`${path} was not planted: ${await reply.text()}`)
  const { id } = (await reply.json()) as { id: string }
  return { page, id, refused }
}

/** The first of the bodies that the API takes; what it makes of it is deleted at once. */
async function firstAccepted(world: DashboardWorld, path: string, bodies: readonly unknown[]): Promise<unknown> {
  for (const body of bodies) {
    const reply = await world.send('POST', path, body)
    const { id } = (await reply.json()) as { id: string }
    if (!reply.ok) continue
    await world.send('DELETE', `${path}/${id}`)
    return body
  }
  return undefined
}

const hostKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGYQzbuhIGzMOxIR0SYxVM8W6e3cD0pwLXJsCYVGsXJR'
const policy = {
  inbound: [
    {
      name: script,
      expressions: [`req.url.path == ${JSON.stringify(script)}`],
      actions: [{ type: 'custom-response', config: { status_code: 200, content: script } }],
    },
  ],
}

const rawRule = { name: script, actions: [{ type: 'deny' }] }

async function independentRecipes(zone: string): Promise<readonly Recipe[]> {
  const { certificate, key } = await throwAwayCertificate(script, false)
  const authority = await throwAwayCertificate(script, true)
  return [
    { path: '/bot_users', page: 'bot-users', needed: { name: 'planted' } },
    { path: '/api_keys', page: 'api-keys', needed: {} },
    { path: '/credentials', page: 'authtokens', needed: {} },
    { path: '/reserved_domains', page: 'reserved-domains', needed: { domain: `planted.${zone}` } },
    { path: '/reserved_addrs', page: 'reserved-addresses', needed: {} },
    { path: '/agent_ingresses', page: 'agent-ingresses', needed: { domain: 'planted.example.com' } },
    {
      path: '/tls_certificates',
      page: 'tls-certificates',
      needed: { certificate_pem: certificate, private_key_pem: key },
    },
    {
      path: '/certificate_authorities',
      page: 'certificate-authorities',
      needed: { ca_pem: authority.certificate },
    },
    { path: '/ip_policies', page: 'ip-policies', needed: {} },
    { path: '/backends/tunnel_group', page: 'tunnel-groups', needed: {} },
    { path: '/backends/http_response', page: 'http-responses', needed: {} },
    { path: '/backends/static', page: 'static-backends', needed: { address: 'static.example.com:443' } },
    { path: '/ssh_certificate_authorities', page: 'ssh-authorities', needed: {} },
  ]
}

function dependentRecipes(idOn: (page: string) => string, zone: string): readonly Recipe[] {
  const group = idOn('tunnel-groups')
  const signed = { ssh_certificate_authority_id: idOn('ssh-authorities'), public_key: `${hostKey} ${script}` }
  const hostports = [`planted.${zone}:443`]
  const backend = { backend_id: group }
  return [
    {
      path: '/ip_policy_rules',
      page: 'ip-policies',
      needed: { ip_policy_id: idOn('ip-policies'), cidr: '192.0.2.0/24', action: 'allow' },
    },
    { path: '/backends/weighted', page: 'weighted-backends', needed: { backends: { [group]: 1 } } },
    { path: '/backends/failover', page: 'failover-backends', needed: { backends: [group] } },
    { path: '/ssh_host_certificates', page: 'ssh-host-certificates', needed: signed },
    { path: '/ssh_user_certificates', page: 'ssh-user-certificates', needed: signed },
    { path: '/edges/https', page: 'edges', needed: { hostports } },
    { path: '/edges/tls', page: 'tls-edges', needed: { backend, policy: { inbound: [rawRule] } } },
    {
      path: '/edges/tcp',
      page: 'tcp-edges',
      needed: { backend, traffic_policy: { value: JSON.stringify({ inbound: [rawRule] }) } },
    },
  ]
}

function routeNeeds(idOn: (page: string) => string): object {
  return {
    match_type: 'path_prefix',
    match: '/planted',
    backend: { backend_id: idOn('tunnel-groups') },
    ip_restriction: { ip_policy_ids: [idOn('ip-policies')] },
    webhook_verification: { provider: 'github', secret: 'planted' },
    traffic_policy: { value: JSON.stringify(policy) },
  }
}
