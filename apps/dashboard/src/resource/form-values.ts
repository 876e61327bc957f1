import type { Pairs } from '../ui/key-values.tsx'
import { toMap } from '../ui/key-values.tsx'
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
      return Object.entries((value ?? {}) as Record<string, string>)
    case 'lines':
      return ((value ?? []) as string[]).join('\n')
    case 'reference':
      return field.isMany === true
        ? ((value ?? []) as { id: string }[]).map(({ id }) => id)
        : ((value as { id?: string })?.id ?? '')
    case 'text':
    case 'number':
    case 'choice':
      return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
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
    case 'lines':
      return linesOf(value as string)
    case 'text':
    case 'choice':
    case 'switch':
    case 'reference':
      return value
  }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
