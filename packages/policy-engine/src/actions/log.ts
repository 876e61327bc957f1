import { Type } from 'typebox'
import { renderOrNothing } from '../expressions/template.ts'
import { defineAction } from './action.ts'

const keysMax = 32
const valueMaxChars = 4096

export const log = defineAction({
  type: 'log',
  phases: ['request', 'response', 'connect'],
  summary: 'Writes a line with the given fields to the log of the service. A field whose expression fails is left out.',
  config: Type.Object(
    {
      metadata: Type.Record(Type.String(), Type.Unknown(), {
        minProperties: 1,
        maxProperties: keysMax,
        description: 'Fields of the line. Texts may contain `${…}`; a rendered text is cut after 4096 characters.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Note who deletes',
      expressions: ["req.method == 'DELETE'"],
      config: { metadata: { path: '${req.url.path}', from: '${conn.client_ip}' } },
      sample: { method: 'DELETE' },
    },
  ],
  onFailure: 'continue',
  compile({ metadata }, context) {
    const fields = Object.entries(metadata).map(([key, value]) => {
      if (typeof value !== 'string') return { key, render: () => value }
      const text = context.template(['metadata', key], value)
      return {
        key,
        render: (scope: Parameters<typeof text.render>[0]) =>
          renderOrNothing(() => text.render(scope))?.slice(0, valueMaxChars),
      }
    })
    return ({ scope }) => {
      const rendered = fields
        .map(({ key, render }) => [key, render(scope)] as const)
        .filter(([, value]) => value !== undefined)
      context.host.observer.logged(context.rule, Object.fromEntries(rendered))
      return undefined
    }
  },
})
