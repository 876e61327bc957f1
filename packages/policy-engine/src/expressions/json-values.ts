import { type CelInput, type CelValue, isCelList, isCelMap, isCelUint } from '@bufbuild/cel'
import { chargeWalk } from './charge-walk.ts'
import { type Message, isMessage, toJson } from '@bufbuild/protobuf'
import { isReflectMessage } from '@bufbuild/protobuf/reflect'
import { DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const depthMax = 32

/** A JSON value as expressions see it: whole numbers are int, objects are maps. */
export function fromJson(value: unknown, depth = 0): CelInput {
  if (depth > depthMax) throw new Error('the value is nested too deeply')
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (value === null || typeof value !== 'object') return value as string | boolean | null
  if (Array.isArray(value)) return value.map((item) => fromJson(item, depth + 1))
  return new Map(Object.entries(value).map(([key, item]) => [key, fromJson(item, depth + 1)]))
}

/** The JSON form of an expression's value. Integers that JSON readers would round become strings. */
export function toJsonValue(value: CelValue): Json {
  chargeWalk(value)
  return convert(value)
}

function convert(value: CelValue): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' && !Number.isFinite(value) ? null : value
  if (isCelUint(value)) return convert(value.value)
  if (isCelList(value)) return [...value].map(convert)
  if (isCelMap(value)) return Object.fromEntries([...value].map(([key, item]) => [renderText(key), convert(item)]))
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return renderText(value)
}

export function toJsonText(value: CelValue): string {
  return JSON.stringify(toJsonValue(value))
}

/** How a value looks inside a text: numbers in decimal, times in RFC 3339, lists and maps as JSON, null as nothing. */
export function renderText(value: CelValue): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  if (value === null) return ''
  if (isCelUint(value)) return String(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (isCelList(value) || isCelMap(value)) return toJsonText(value)
  return isReflectMessage(value) ? renderMessage(value.message) : value.name
}

function renderMessage(message: Message): string {
  if (isMessage(message, TimestampSchema)) return toJson(TimestampSchema, message)
  if (isMessage(message, DurationSchema)) return toJson(DurationSchema, message)
  return ''
}
