import { type TProperties, type TSchema, Type } from 'typebox'

/** A text of at most `maxBytes` UTF-8 bytes. */
export function text(maxBytes: number, minLength = 0) {
  // A UTF-8 text never has more code units than bytes, so maxLength is a quick first bound; the refinement is exact.
  return Type.Refine(
    Type.String({ minLength, maxLength: maxBytes }),
    (value) => Buffer.byteLength(value) <= maxBytes,
    () => `must be at most ${maxBytes} bytes`,
  )
}

/** Visible ASCII, as it has to fit into a stream header. */
export const bindId = Type.String({ pattern: '^[!-~]{1,64}$' })

export const labels = Type.Refine(
  Type.Record(Type.String(), text(256)),
  (map) => Object.keys(map).length <= 50 && Object.keys(map).every((key) => Buffer.byteLength(key) <= 128),
  () => 'must have at most 50 keys of at most 128 bytes',
)

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

/** A control message: the fields it must have beside `type`. Unknown fields are ignored. */
export function message<const Name extends string, P extends TProperties>(type: Name, fields: P) {
  return Type.Object({ type: Type.Literal(type), ...fields })
}
