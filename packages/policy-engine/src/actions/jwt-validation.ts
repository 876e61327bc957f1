import type { JWTPayload } from 'jose'
import { type Static, Type } from 'typebox'
import type { Json } from '../expressions/json-values.ts'
import type { Template } from '../expressions/template.ts'
import { addressKey } from '../net/address.ts'
import { refusal } from '../run/outcome.ts'
import type { PolicyExchange } from '../run/policy-exchange.ts'
import { type ActionContext, defineAction } from './action.ts'
import { KeySet } from './key-sets.ts'

const bodyMaxBytes = 64 * 1024
const tokenMaxChars = 16 * 1024

const closed = { additionalProperties: false } as const
const Value = Type.Object({ value: Type.String({ minLength: 1 }) }, closed)
const Values = (description: string) =>
  Type.Object({ allow_list: Type.Array(Value, { minItems: 1, maxItems: 20 }) }, { ...closed, description })
const Token = Type.Object(
  {
    type: Type.Enum(['id_token', 'access_token', 'at+jwt', 'it+jwt', 'plain', 'jwt']),
    method: Type.Enum(['header', 'body']),
    name: Type.String({ minLength: 1, maxLength: 256 }),
    prefix: Type.Optional(Type.String({ maxLength: 256 })),
  },
  closed,
)
const Keys = Type.Object(
  { sources: Type.Object({ additional_jkus: Type.Array(Type.String(), { minItems: 1, maxItems: 10 }) }, closed) },
  closed,
)

/** Signatures with public keys only: a shared-secret algorithm would take a public key for the secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

export const jwtValidation = defineAction({
  type: 'jwt-validation',
  phases: ['request'],
  summary:
    'Lets requests through whose JSON Web Tokens are all present, signed by a key of the listed key sets, unexpired, and from an allowed issuer for an allowed audience. Others get 401. Keys named inside a token are never used.',
  config: Type.Object(
    {
      issuer: Values('Allowed values of `iss`, compared exactly. May contain `${…}`.'),
      audience: Type.Optional(Values('Allowed values of `aud`; one is enough.')),
      http: Type.Object(
        { tokens: Type.Array(Token, { minItems: 1, maxItems: 10 }) },
        {
          ...closed,
          description: 'Where the tokens are; all of them have to be there. `name` and `prefix` may contain `${…}`.',
        },
      ),
      jws: Type.Object(
        {
          allowed_algorithms: Type.Array(Type.Enum(algorithms), { minItems: 1, uniqueItems: true }),
          keys: Type.Union([Keys, Type.Array(Keys, { minItems: 1, maxItems: 10 })]),
        },
        { ...closed, description: 'Signature algorithms, and https addresses of key sets (RFC 7517).' },
      ),
    },
    closed,
  ),
  examples: [
    {
      title: 'Access tokens of one issuer',
      config: {
        issuer: { allow_list: [{ value: 'https://login.example.com/' }] },
        audience: { allow_list: [{ value: 'https://api.example.com' }] },
        http: { tokens: [{ type: 'access_token', method: 'header', name: 'Authorization', prefix: 'Bearer ' }] },
        jws: {
          allowed_algorithms: ['RS256'],
          keys: { sources: { additional_jkus: ['https://login.example.com/.well-known/jwks.json'] } },
        },
      },
      sample: {},
    },
  ],
  onFailure: 'refuse',
  compile(config, context) {
    const issuers = config.issuer.allow_list.map(({ value }, index) =>
      context.template(['issuer', 'allow_list', index, 'value'], value),
    )
    const audience = config.audience?.allow_list.map(({ value }) => value)
    const tokens = config.http.tokens.map((token, index) => compileToken(token, index, context))
    const keySets = compileKeySets(config.jws.keys, context)
    return async (exchange) => {
      const claims: Json[] = []
      for (const { type, read } of tokens) {
        const token = await read(exchange)
        const options = {
          algorithms: config.jws.allowed_algorithms,
          issuer: issuers.map((issuer) => issuer.render(exchange.scope)),
          requiredClaims: ['exp'],
          currentDate: new Date(exchange.now()),
          ...(audience && { audience }),
          ...(type.endsWith('+jwt') && { typ: type }),
        }
        const payload = token === undefined ? undefined : await verifyWithFirst(keySets, token, options, exchange.now())
        if (!payload)
          return refusal(401, [['www-authenticate', token === undefined ? 'Bearer' : 'Bearer error="invalid_token"']])
        claims.push(payload as Json)
      }
      exchange.setResult('jwt_validation', () => ({ tokens: claims.map((payload) => ({ claims: payload })) }))
      return undefined
    }
  },
})

interface TokenSource {
  readonly type: string
  readonly read: (exchange: PolicyExchange) => Promise<string | undefined>
}

function compileToken(token: Static<typeof Token>, index: number, context: ActionContext): TokenSource {
  const name = context.template(['http', 'tokens', index, 'name'], token.name)
  const prefix = context.template(['http', 'tokens', index, 'prefix'], token.prefix ?? '')
  const find = token.method === 'header' ? fromHeader : fromBody
  return {
    type: token.type,
    async read(exchange) {
      const text = await find(name, exchange)
      const expected = prefix.render(exchange.scope)
      if (text === undefined || text.length > tokenMaxChars || !text.toLowerCase().startsWith(expected.toLowerCase()))
        return undefined
      return text.slice(expected.length).trim()
    },
  }
}

/** A header that occurs twice is refused: the upstream could read the other one. */
async function fromHeader(name: Template, { request, scope }: PolicyExchange): Promise<string | undefined> {
  const values = request?.headers.all(name.render(scope).toLowerCase()) ?? []
  return values.length === 1 ? values[0] : undefined
}

async function fromBody(name: Template, { request, scope }: PolicyExchange): Promise<string | undefined> {
  if (!request?.facts.readBody) throw new Error('the body cannot be read here')
  const text = Buffer.from(await request.facts.readBody(bodyMaxBytes)).toString()
  const field = name.render(scope)
  if ((request.headers.first('content-type') ?? '').startsWith('application/x-www-form-urlencoded')) {
    const values = new URLSearchParams(text).getAll(field)
    return values.length === 1 ? values[0] : undefined
  }
  const body = parseObject(text)
  const value = body && Object.hasOwn(body, field) ? body[field] : undefined
  return typeof value === 'string' ? value : undefined
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

async function verifyWithFirst(
  keySets: readonly KeySet[],
  ...[token, options, nowMs]: Parameters<KeySet['verify']>
): Promise<JWTPayload | undefined> {
  for (const keySet of keySets) {
    const payload = await keySet.verify(token, options, nowMs)
    if (payload) return payload
  }
  return undefined
}

function compileKeySets(keys: Static<typeof Keys> | Static<typeof Keys>[], context: ActionContext): KeySet[] {
  const sources = Array.isArray(keys) ? keys : [keys]
  return sources.flatMap(({ sources: { additional_jkus: urls } }, source) =>
    urls.map((url, index) => {
      const place = Array.isArray(keys) ? [source] : []
      checkKeySetUrl(url, ['jws', 'keys', ...place, 'sources', 'additional_jkus', index], context)
      return context.state(`key set ${url}`, () => new KeySet(url, fetcher(context)))
    }),
  )
}

function fetcher({ host }: ActionContext): (url: string) => Promise<unknown> {
  return host.fetchKeySet ?? (() => Promise.reject(new Error('key sets cannot be fetched here')))
}

function isPrivate(host: string): boolean {
  return addressKey(host) !== undefined || !host.includes('.')
}

/** Names that resolve to private addresses are the host's to refuse, when it connects. */
function checkKeySetUrl(text: string, field: readonly (string | number)[], context: ActionContext): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // Without brackets, and without the dot that may end a name.
  const host = url?.hostname.replace(/^\[|[\].]$/g, '') ?? ''
  if (url?.protocol !== 'https:' || url.username !== '')
    context.refuse(field, 'invalid_url', 'a key set has an https address, written out')
  else if (isPrivate(host) && context.host.allowsPrivateHost?.(host) !== true)
    context.refuse(field, 'invalid_url', `the operator of the service does not let policies reach '${host}'`)
}
