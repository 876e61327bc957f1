import { generateKeyPairSync } from 'node:crypto'
import { Ajv } from 'ajv'
import { afterAll, expect, it } from 'vitest'
import { BasicConstraintsExtension, X509CertificateGenerator } from '../../src/certs/x509.ts'
import { type Client, startTestApi } from './api-harness.ts'
import { throwAwayCertificate } from '../certs/throw-away-certificate.ts'
import type { JsonSchema } from './operations.ts'

interface Content {
  readonly content?: {
    readonly 'application/json': {
      readonly schema: JsonSchema & { readonly examples?: readonly object[] }
      readonly example?: object
    }
  }
}

interface Described {
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

const sampleId = /([a-z]+)_2RWUhWYxiTp8Fnd3RsCCtWTF8vY/
const sampleAddress = '1.tcp.example.com:20000'
const notAvailable = /\/(oauth|oidc|saml)$/

const api = await startTestApi()
afterAll(() => api[Symbol.asyncDispose]())
const { paths } = (await api.app.inject({ url: '/openapi.json' })).json<{
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}>()
const withBody = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { requestBody }]) =>
    requestBody === undefined ? [] : [[method.toUpperCase(), path] as const],
  ),
)

function exampleIn({ content }: Content = {}): string {
  const media = content?.['application/json']
  return JSON.stringify(media?.example ?? media?.schema.examples?.[0] ?? {})
}

/** Where resources with this prefix are created. */
function collectionOf(prefix: string): string {
  const isMade = ({ post }: Readonly<Record<string, Described>>) =>
    exampleIn(post?.responses['201']).startsWith(`{"id":"${prefix}_`)
  return Object.entries(paths).find(([, methods]) => isMade(methods))?.[0] ?? ''
}

/** An account in which everything exists that examples name: made from examples itself, when it is first needed. */
class ExampleWorld implements AsyncDisposable {
  readonly #client: Client
  readonly #ids = new Map<string, Promise<string>>()
  readonly #made: string[] = []

  constructor(client: Client) {
    this.#client = client
  }

  /** Without a body of its own, the example's. */
  async send(method: string, template: string, body?: object) {
    const path = await this.#realPath(template)
    const sent = method === 'GET' ? undefined : (body ?? (await this.#realBody(method, template)))
    const answer = await this.#client.send(method, path, sent)
    if (answer.status === 201) this.#made.push(`${path}/${answer.body.id}`)
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of this.#made.reverse()) {
      const { status, body } = await this.#client.send('DELETE', path)
      if (status !== 204) throw new Error(`DELETE ${path} answered ${status}: ${body.msg}`)
    }
  }

  #idIn(collection: string): Promise<string> {
    const id = this.#ids.get(collection) ?? this.send('POST', collection).then(({ body }) => body.id ?? body.msg)
    this.#ids.set(collection, id)
    return id
  }

  async #realPath(template: string): Promise<string> {
    let path = template
    for (const { 0: parameter, index } of template.matchAll(/\{\w+\}/g))
      path = path.replace(parameter, await this.#idIn(template.slice(0, index - 1)))
    return path
  }

  async #realBody(method: string, template: string): Promise<object> {
    let text = exampleIn(paths[template]?.[method.toLowerCase()]?.requestBody)
    for (let id = sampleId.exec(text); id !== null; id = sampleId.exec(text))
      text = text.replace(id[0], await this.#idIn(collectionOf(id[1] ?? '')))
    if (text.includes('app.example.com:443')) await this.#idIn('/reserved_domains')
    if (text.includes(sampleAddress)) text = text.replace(sampleAddress, await this.#address())
    return { ...(JSON.parse(text) as object), ...(method === 'POST' ? await certificatesFor(template) : {}) }
  }

  async #address(): Promise<string> {
    const id = await this.#idIn('/reserved_addrs')
    return String((await this.#client.send('GET', `/reserved_addrs/${id}`)).body['addr'])
  }
}

/** Examples show where certificates and keys go, and nobody else's. */
async function certificatesFor(template: string): Promise<object> {
  if (template === '/certificate_authorities') return { ca_pem: await authority() }
  if (template !== '/tls_certificates') return {}
  const { chainPem, privateKeyPem } = await throwAwayCertificate(['app.example.com'])
  return { certificate_pem: chainPem, private_key_pem: privateKeyPem }
}

async function authority(): Promise<string> {
  const algorithm = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' } as const
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys: {
      privateKey: privateKey.toCryptoKey(algorithm, true, ['sign']),
      publicKey: publicKey.toCryptoKey(algorithm, true, ['verify']),
    },
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true)],
  })
  return certificate.toString('pem')
}

it.each(withBody)('%s %s takes its example, once what it names exists', async (method, path) => {
  await using world = new ExampleWorld(await api.newClient())
  const { status, body } = await world.send(method, path)
  const outcome = status < 300 ? 'accepted' : body.error_code
  expect(outcome).toBe(notAvailable.test(path) ? 'ERR_SERVICE_90302' : 'accepted')
})

const changes = withBody.filter(([method]) => method === 'PATCH')

it.each(changes)('%s %s takes back all that was shown, as Terraform sends it', async (method, path) => {
  await using world = new ExampleWorld(await api.newClient())
  const { body: shown } = await world.send('GET', path)
  const schema = paths[path]?.['patch']?.requestBody?.content?.['application/json'].schema
  // What is written in another form than it is shown, such as a module, is no echo.
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const isEchoed = ([name, field]: readonly [string, JsonSchema]) =>
    shown[name] !== undefined && shown[name] !== null && ajv.validate(field, shown[name])
  const echoed = Object.entries(schema?.properties ?? {}).filter(isEchoed)
  const answer = await world.send(method, path, Object.fromEntries(echoed.map(([name]) => [name, shown[name]])))
  expect(answer).toMatchObject({ status: 200, body: shown })
  expect(echoed.length).toBeGreaterThan(0)
})
