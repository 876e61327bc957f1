import type { FastifyInstance } from 'fastify'

/** A JSON schema, as far as the tests look into it. */
export interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly maxItems?: number
  readonly 'x-maxBytes'?: number
  readonly additionalProperties?: boolean | JsonSchema
}

/** One operation of the published description. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly isList: boolean
  readonly body: JsonSchema | undefined
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } }
}

/** Every operation in `/openapi.json`. */
export async function describedOperations(app: FastifyInstance): Promise<Operation[]> {
  const { paths } = (await app.inject({ url: '/openapi.json' })).json<{
    paths: Record<string, Record<string, Described>>
  }>()
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path,
      isList: described.parameters?.some(({ name }) => name === 'before_id') ?? false,
      body: described.requestBody?.content['application/json'].schema,
    })),
  )
}

/** The path with ids that are well formed and belong to nothing. */
export function withUnknownIds(path: string): string {
  return path.replaceAll(/\{\w+\}/g, `x_${'0'.repeat(27)}`)
}
