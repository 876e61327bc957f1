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

/** The codes of the errors that `/openapi.json` lists for `POST /ip_policies` and so on. */
export async function listedErrors(app: FastifyInstance): Promise<(method: string, url: string) => readonly string[]> {
  const { paths, components } = (await app.inject({ url: '/openapi.json' })).json<{
    paths: Record<string, Record<string, { responses: Record<string, DescribedResponse> }>>
    components: { examples: Record<string, { value: { error_code?: string } }> }
  }>()
  return (method, url) => {
    const path = Object.keys(paths).find((known) => withoutIds(known) === withoutIds(url)) ?? ''
    const { responses = {} } = paths[path]?.[method.toLowerCase()] ?? {}
    const reasons = Object.values(responses).flatMap(({ content }) =>
      Object.keys(content?.['application/json'].examples ?? {}),
    )
    return reasons.flatMap((reason) => components.examples[reason]?.value.error_code ?? [])
  }
}

interface DescribedResponse {
  readonly content?: { readonly 'application/json': { readonly examples?: object } }
}

function withoutIds(path: string): string {
  return path.replaceAll(/\{\w+\}|[a-z]+_[0-9A-Za-z]{27}/g, '*')
}

/** The path with ids that are well formed and belong to nothing. */
export function withUnknownIds(path: string): string {
  return path.replaceAll(/\{\w+\}/g, `x_${'0'.repeat(27)}`)
}
