import { Type } from 'typebox'
import { defineAction } from './action.ts'

export const closeConnection = defineAction({
  type: 'close-connection',
  phases: ['request', 'connect'],
  summary: "Closes the visitor's connection without an answer.",
  config: Type.Object({}, { additionalProperties: false }),
  examples: [
    {
      title: 'Hang up on a scanner',
      expressions: ["req.url.path.endsWith('.php')"],
      sample: { url: 'https://app.example.com/wp-login.php' },
    },
  ],
  onFailure: 'refuse',
  ends: () => true,
  compile: () => () => ({ kind: 'close' }),
})
