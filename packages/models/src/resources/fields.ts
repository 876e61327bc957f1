import { type TSchema, Type } from 'typebox'

export const descriptionMaxBytes = 255
export const metadataMaxBytes = 4096

declare module 'typebox' {
  interface TStringOptions {
    /** Longest value in UTF-8 bytes; `maxLength` would count characters. */
    'x-maxBytes'?: number
  }
}

/** The two texts that almost every resource carries. Unset ones are absent from replies; `""` clears them. */
export const described = {
  description: Type.Optional(
    Type.String({
      'x-maxBytes': descriptionMaxBytes,
      description: 'What this is for, for people. At most 255 bytes.',
      examples: ['weather station'],
    }),
  ),
  metadata: Type.Optional(
    Type.String({
      'x-maxBytes': metadataMaxBytes,
      description: 'Anything, for programs. At most 4096 bytes.',
      examples: ['{"team":"field"}'],
    }),
  ),
}

/** For texts of one line, and for those that the database compares: PostgreSQL cannot hold NUL. */
export const noControlCharacters = String.raw`^[^\p{Cc}\p{Cs}]*$`

/** An address of the web; empty for none. */
export const webAddress = String.raw`^(?:https?://[!-~]+)?$`

/** A pointer to another resource. */
export const Ref = Type.Object({ id: Type.String(), uri: Type.String() }, { additionalProperties: false })
export type Ref = Type.Static<typeof Ref>

export const Time = Type.String({
  format: 'date-time',
  description: 'RFC 3339, UTC, whole seconds.',
  examples: ['2026-01-31T12:00:00Z'],
})

export const TextMap = Type.Record(Type.String(), Type.String())

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}
