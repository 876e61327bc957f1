import type { TObject, TSchema } from 'typebox'

/** A create body that no schema has checked yet. */
export type OlderInput = Readonly<Record<string, unknown>>

/*
 * Existing clients send more than they mean: every unset field as null, zero values for arguments that were left out,
 * and the ids of the path once more in the body. These readings make a body say what its sender meant.
 */

/**
 * A create body without its unset fields (null, and the zero value of the field's own type), ids of the path, and empty
 * fields that are not known here: clients of other versions send those.
 */
export function readCreateBody(
  body: unknown,
  schema: TObject,
  pathIds: readonly string[],
  modernize: (input: OlderInput) => OlderInput = (input) => input,
): unknown {
  const input = isObject(body) ? modernize(body) : body
  return withoutFields(input, (name, value) => {
    const declared = schema.properties[name]
    if (declared === undefined) return pathIds.includes(name) || isEmpty(value)
    return value === null || isZero(value, declared)
  })
}

/**
 * A change without nulls, which mean "unchanged" unless a known field takes null, without zero values of fields that
 * nothing can be without, and without ids of the path.
 */
export function readChangeBody(
  body: unknown,
  schema: TObject,
  pathIds: readonly string[],
  indispensable: readonly string[] = [],
): unknown {
  return withoutFields(body, (name, value) => {
    const declared = schema.properties[name]
    if (declared === undefined) return pathIds.includes(name) || value === null
    if (value === null) return !takesNull(declared)
    return indispensable.includes(name) && isZero(value, declared)
  })
}

/** An empty description or metadata is none. */
export function withoutEmptyTexts<Body extends object>(body: Body): Body {
  const { description, metadata, ...rest } = body as { description?: string; metadata?: string }
  return { ...rest, ...(description ? { description } : {}), ...(metadata ? { metadata } : {}) } as Body
}

function withoutFields(body: unknown, isDropped: (name: string, value: unknown) => boolean): unknown {
  if (body === undefined || body === null) return {}
  if (!isObject(body)) return body
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => !isDropped(name, value)))
}

function isObject(body: unknown): body is OlderInput {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || value === 0 || (Array.isArray(value) && value.length === 0)
}

function isZero(value: unknown, schema: TSchema): boolean {
  switch (typeOf(schema)) {
    case 'string':
      return value === ''
    case 'integer':
    case 'number':
      return value === 0
    case 'array':
      return Array.isArray(value) && value.length === 0
    case 'object':
      return isMap(schema) && isObject(value) && Object.keys(value).length === 0
    default:
      return false
  }
}

/** Labels and such; an object with fields of its own, such as a module, is asked for by `{}` with all its defaults. */
function isMap(schema: TSchema): boolean {
  return !('properties' in schema)
}

function typeOf(schema: TSchema): unknown {
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown }
  return Array.isArray(values) ? 'string' : type
}

function takesNull(schema: TSchema): boolean {
  const { anyOf } = schema as { anyOf?: { type?: unknown }[] }
  return anyOf?.some((option) => option.type === 'null') ?? false
}
