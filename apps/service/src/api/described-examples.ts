import type { TSchema } from 'typebox'

interface Described {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly TSchema[]
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly minimum?: number
}

const policyId = 'ipp_2RWUhWYxiTp8Fnd3RsCCtWTF8vY'
const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'
const pem = (what: string) => `-----BEGIN ${what}-----\n…\n-----END ${what}-----\n`

const policyRule = { name: 'The office', actions: [{ type: 'restrict-ips', config: { allow: ['192.0.2.0/24'] } }] }

/** What fields of these names hold, wherever they stand. */
const byName: Readonly<Record<string, unknown>> = {
  acl: ['bind:app.example.com'],
  action: 'allow',
  add: { 'x-served-by': 'edge' },
  addr: '1.tcp.example.com:20000',
  address: 'upstream.example.com:8443',
  allow: ['^Mozilla/'],
  backend_id: 'bkdtg_2RWUhWYxiTp8Fnd3RsCCtWTF8vY',
  body: 'Down for maintenance.',
  ca_pem: pem('CERTIFICATE'),
  certificate_authority_ids: ['ca_2RWUhWYxiTp8Fnd3RsCCtWTF8vY'],
  certificate_id: 'cert_2RWUhWYxiTp8Fnd3RsCCtWTF8vY',
  certificate_pem: pem('CERTIFICATE'),
  cidr: '192.0.2.0/24',
  critical_options: { 'force-command': '/usr/bin/uptime' },
  deny: ['^curl/'],
  domain: 'app.example.com',
  error_redirect_url: 'https://example.com/sorry',
  extensions: { 'permit-pty': '' },
  forwards_to: 'http://localhost:8080',
  headers: { 'content-type': 'text/plain' },
  hostport: 'app.example.com:443',
  hostports: ['app.example.com:443'],
  inbound: [policyRule],
  ip: '192.0.2.7',
  ip_policy_id: policyId,
  ip_policy_ids: [policyId],
  key_size: 4096,
  labels: { region: 'lab' },
  match: '/',
  name: 'deploy',
  next_page_uri: null,
  outbound: null,
  owner_id: 'bot_2RWUhWYxiTp8Fnd3RsCCtWTF8vY',
  principals: ['device.example.com'],
  private_key_pem: pem('PRIVATE KEY'),
  provider: 'github',
  public_key: publicKey,
  public_url: 'https://app.example.com',
  region: 'local',
  remove: ['x-powered-by'],
  ssh_certificate_authority_id: 'sshca_2RWUhWYxiTp8Fnd3RsCCtWTF8vY',
  status_code: 200,
  token: null,
  url: 'https://app.example.com',
  value: JSON.stringify({ inbound: [policyRule] }),
}

/** What a request does without: fields that exclude another one, need something special, or are not available. */
const notAsked: ReadonlySet<string> = new Set([
  'certificate_id',
  'elliptic_curve',
  'key_size',
  'oauth',
  'oidc',
  'outbound',
  'owner_id',
  'saml',
  'terminate_at',
])

/** A body that is accepted as it stands, once the resources that it names exist. */
export function requestExampleOf(schema: TSchema): unknown {
  return exampleOf(schema, '', notAsked)
}

/** An example of what a schema describes: its own, that of the field's name, or one of its type. */
export function exampleOf(schema: TSchema, name = '', leftOut: ReadonlySet<string> = new Set()): unknown {
  const { type, const: only, enum: values, anyOf, examples, properties, items, minimum } = schema as Described
  if (examples !== undefined) return examples[0]
  if (values !== undefined) return values[0]
  if (only !== undefined) return only
  if (properties === undefined && Object.hasOwn(byName, name)) return byName[name]
  if (anyOf !== undefined) return exampleOf(anyOf[0] ?? schema, name, leftOut)
  switch (type ?? 'string') {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties ?? {})
          .filter(([key]) => !leftOut.has(key))
          .map(([key, field]) => [key, exampleOf(field, key, leftOut)]),
      )
    case 'array':
      return items === undefined ? [] : [exampleOf(items, '', leftOut)]
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return minimum ?? 1
    case 'null':
      return null
    default:
      return 'text'
  }
}
