import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { Type } from 'typebox'
import type { Template } from '../expressions/template.ts'
import { refusal } from '../run/outcome.ts'
import type { PolicyExchange } from '../run/policy-exchange.ts'
import { type ActionContext, defineAction } from './action.ts'

const passwordMinChars = 8
const passwordMaxChars = 128

// Compared as digests under a key of this process: constant time whatever the lengths, and no plain text in the heap.
const digestKey = randomBytes(32)
const digest = (text: string): Buffer => createHmac('sha256', digestKey).update(text).digest()

export const basicAuth = defineAction({
  type: 'basic-auth',
  phases: ['request'],
  summary:
    'Asks for a user name and password (RFC 7617) and refuses with 401 who does not give one of the listed pairs.',
  config: Type.Object(
    {
      credentials: Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 10,
        description: '`user:password` pairs; passwords have 8 to 128 characters. May contain `${…}`.',
      }),
      realm: Type.Optional(
        Type.String({ maxLength: 128, default: 'service', description: 'Shown by browsers. ASCII.' }),
      ),
      enforce: Type.Optional(Type.Boolean({ default: true, description: 'False: only sets the result variables.' })),
    },
    { additionalProperties: false },
  ),
  examples: [{ title: 'One user', config: { credentials: ['anna:a-long-password'], realm: 'staging' }, sample: {} }],
  onFailure: 'refuse',
  compile({ credentials, realm = 'service', enforce = true }, context) {
    if (!/^[\x20-\x7e]*$/.test(realm))
      context.refuse(['realm'], 'invalid_header_value', 'realm has only printable ASCII characters')
    const expected = credentials.map((credential, index) =>
      compileCredential(credential, ['credentials', index], context),
    )
    const challenge = `Basic realm="${realm.replaceAll(/["\\]/g, '\\$&')}", charset="UTF-8"`
    return (exchange) => {
      const presented = presentedCredential(exchange)
      const isAuthorized = presented !== undefined && isListed(presented, expected, exchange)
      const username = presented?.slice(0, presented.indexOf(':')) ?? ''
      exchange.setResult('basic_auth', () => ({
        credentials: { presented: presented !== undefined, username, authorized: isAuthorized },
      }))
      return isAuthorized || !enforce ? undefined : refusal(401, [['www-authenticate', challenge]])
    }
  },
})

type Credential = { readonly digest: Buffer } | { readonly template: Template }

function compileCredential(text: string, field: readonly (string | number)[], context: ActionContext): Credential {
  const template = context.template(field, text)
  const literal = template.literals.join('')
  if (!literal.includes(':'))
    context.refuse(field, 'invalid_header_value', 'a credential is user:password, with the colon written out')
  // eslint-disable-next-line no-control-regex
  else if (/[\0-\x1f\x7f]/.test(literal))
    context.refuse(field, 'invalid_header_value', 'a credential has no control characters')
  if (!template.isLiteral) return { template }
  const passwordChars = literal.length - literal.indexOf(':') - 1
  if (passwordChars < passwordMinChars)
    context.refuse(field, 'out_of_range', `a password has at least ${passwordMinChars} characters`)
  if (passwordChars > passwordMaxChars)
    context.refuse(field, 'too_long', `a password has at most ${passwordMaxChars} characters`)
  return { digest: digest(literal) }
}

/** All entries are compared, so that the time does not tell which one was close. */
function isListed(presented: string, credentials: readonly Credential[], { scope }: PolicyExchange): boolean {
  const presentedDigest = digest(presented)
  let isFound = false
  for (const credential of credentials) {
    const expected = 'digest' in credential ? credential.digest : digest(credential.template.render(scope))
    if (timingSafeEqual(presentedDigest, expected)) isFound = true
  }
  return isFound
}

/** `user:password` of the one Authorization header; undefined when it is missing, doubled or not of this scheme. */
function presentedCredential({ request }: PolicyExchange): string | undefined {
  const [header, ...others] = request?.headers.all('authorization') ?? []
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '')?.[1]
  if (encoded === undefined || others.length > 0) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  return text.includes(':') ? text : undefined
}
