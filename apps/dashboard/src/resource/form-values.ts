import { type Pairs, toMap } from '../ui/key-values.tsx'
import { fromRule, toRule } from './acl-rules.ts'
import type { FieldSpec } from './resource-view.ts'

export type FieldValue = string | boolean | Pairs | readonly string[]
export type FormValues = Readonly<Record<string, FieldValue>>

/** What a form shows at first: empty, or the values of the resource that is edited. */
export function initialValues(
  fields: readonly FieldSpec[],
  source: Readonly<Record<string, unknown>> | null,
): FormValues {
  return Object.fromEntries(fields.map((field) => [field.name, initialValue(field, source)]))
}

function initialValue(field: FieldSpec, source: Readonly<Record<string, unknown>> | null): FieldValue {
  const value = source?.[field.kind === 'reference' ? (field.readFrom ?? field.name) : field.name]
  switch (field.kind) {
    case 'switch':
      return typeof value === 'boolean' ? value : field.initially
    case 'map':
    case 'weights':
      return Object.entries(value ?? {}).map(([key, entry]) => [key, String(entry)] as const)
    case 'acl':
      return ((value ?? []) as string[]).map(fromRule)
    case 'lines':
      return ((value ?? []) as string[]).join('\n')
    case 'json':
      return value === undefined || value === null ? '' : JSON.stringify(value, null, 2)
    case 'reference':
      return field.isMany === true ? ((value ?? []) as (string | { id: string })[]).map(idOf) : idOf(value ?? '')
    case 'text':
    case 'number':
    case 'choice':
      return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
}

/** Replies name others by a reference, or by their id alone. */
function idOf(value: unknown): string {
  return typeof value === 'string' ? value : (value as { id: string }).id
}

/** The request body: on creation empty fields are left out; an edit sends just what differs from `before`. */
export function toBody(
  fields: readonly FieldSpec[],
  values: FormValues,
  before: FormValues | null,
): Record<string, unknown> {
  const isSent = (field: FieldSpec) =>
    before === null
      ? !isEmpty(values[field.name])
      : JSON.stringify(values[field.name]) !== JSON.stringify(before[field.name])
  return Object.fromEntries(fields.filter(isSent).map((field) => [field.name, toBodyValue(field, values[field.name])]))
}

function isEmpty(value: FieldValue | undefined): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

function toBodyValue(field: FieldSpec, value: FieldValue | undefined): unknown {
  switch (field.kind) {
    case 'number':
      return Number(value)
    case 'map':
      return toMap(value as Pairs)
    case 'weights':
      return Object.fromEntries(Object.entries(toMap(value as Pairs)).map(([key, weight]) => [key, Number(weight)]))
    case 'acl':
      return (value as Pairs).map(toRule)
    case 'lines':
      return linesOf(value as string)
    case 'json':
      return value === '' ? [] : parsed(field.label, value as string)
    case 'text':
    case 'choice':
    case 'switch':
    case 'reference':
      return value
  }
}

function parsed(label: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${label} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
