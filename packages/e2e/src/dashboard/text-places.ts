/** A JSON schema, as far as it says where texts are. */
interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
}

/** Where in a body a text can stand; puts one there and leaves everything else as it was. */
export interface TextPlace {
  readonly name: string
  /** What the text must match by the description alone. */
  readonly pattern: RegExp
  put(body: unknown, text: string): unknown
}

/** Every place for a text of somebody's own: fields, items of lists, keys and values of maps, at any depth. */
export function textPlaces(schema: Schema): readonly TextPlace[] {
  const { anyOf = [], properties = {}, items } = schema
  const members = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  const values = members ?? Object.values(schema.patternProperties ?? {})[0]
  return [
    ...(schema.type === 'string' && schema.enum === undefined ? [whole(schema.pattern)] : []),
    ...anyOf.flatMap(textPlaces),
    ...Object.entries(properties).flatMap(([key, of]) => textPlaces(of).map((place) => inside(key, place))),
    ...(items === undefined ? [] : textPlaces(items).map(asItem)),
    ...(values === undefined ? [] : [asKey, ...textPlaces(values).map((place) => inside('planted', place))]),
  ]
}

function whole(pattern = ''): TextPlace {
  return { name: '', pattern: new RegExp(pattern, 'u'), put: (_body, text) => text }
}

const asKey: TextPlace = { name: '{}', pattern: /^/, put: (body, text) => ({ ...(body as object), [text]: 'planted' }) }

function inside(key: string, place: TextPlace): TextPlace {
  return {
    ...place,
    name: `.${key}${place.name}`,
    put: (body, text) => ({
      ...(body as object),
      [key]: place.put((body as Record<string, unknown> | undefined)?.[key], text),
    }),
  }
}

function asItem(place: TextPlace): TextPlace {
  return {
    ...place,
    name: `[]${place.name}`,
    put: (body, text) => [...((body as unknown[] | undefined) ?? []), place.put(undefined, text)],
  }
}
