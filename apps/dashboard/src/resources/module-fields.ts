import { type EdgeModuleName, edgeModules } from '@tunnel/models'
import { api } from '../api/client.ts'
import type { FieldSpec } from '../resource/resource-view.ts'
import { anyBackend } from './any-backend.ts'

/** Fields that name other resources, and under which name the reply shows them. */
const references: Readonly<
  Record<string, Pick<Extract<FieldSpec, { kind: 'reference' }>, 'to' | 'isMany' | 'readFrom'>>
> = {
  backend_id: { to: anyBackend, readFrom: 'backend' },
  ip_policy_ids: { to: api.ipPolicies, isMany: true, readFrom: 'ip_policies' },
  certificate_authority_ids: { to: api.certificateAuthorities, isMany: true, readFrom: 'certificate_authorities' },
}

/** The part of JSON schema that the modules use. */
interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: object
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
}

/** The form of a module, read from the schema that the service itself checks it with. */
export function fieldsOfModule(name: EdgeModuleName): readonly FieldSpec[] {
  const { properties = {}, required = [] } = edgeModules[name].write as Schema
  return Object.entries(properties).map(([field, schema]) => toField(field, schema, required.includes(field)))
}

function toField(name: string, schema: Schema, isRequired: boolean): FieldSpec {
  const common = { name, label: words(name), isRequired }
  const reference = references[name]
  if (reference !== undefined)
    return { ...common, label: words(name.replace(/_ids?$/, '')), kind: 'reference', ...reference }
  if (schema.enum !== undefined)
    return { ...common, kind: 'choice', options: schema.enum.map((value) => ({ id: value, label: value })) }
  const { type = 'string' } = schema
  switch (type) {
    case 'boolean':
      return { ...common, kind: 'switch', initially: true }
    case 'integer':
    case 'number':
      return { ...common, kind: 'number', hint: numberHint(schema) }
    case 'object':
      return { ...common, kind: 'map' }
    case 'array':
      return { ...common, kind: schema.items?.type === 'string' ? 'lines' : 'json' }
    default:
      return { ...common, kind: 'text', ...(name === 'value' && { rows: 12 }) }
  }
}

function numberHint({ description, minimum, maximum }: Schema): string {
  const range = `${minimum} to ${maximum?.toLocaleString('en')}`
  return `${description === undefined ? range : `${description} ${range}`}. Empty takes the default.`
}

/** `tripped_duration` as `Tripped duration`; names that are short forms stay capital. */
export function words(name: string): string {
  const text = name
    .replaceAll('_', ' ')
    .replace(/\b(?:ip|tls|tcp)\b/g, (word) => word.toUpperCase())
    .replace('websocket', 'WebSocket')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
