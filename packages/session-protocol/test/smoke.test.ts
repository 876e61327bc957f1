import { expect, it } from 'vitest'
import { memoryPair } from './memory-transport.ts'
import { sessionPair, webSocketPair } from './session-pair.ts'

it.each([
  ['memory', () => Promise.resolve(memoryPair())],
  ['websocket', () => webSocketPair()],
])('echoes over %s', async (_name, transports) => {
  const { service, onAgent, agent } = sessionPair(await transports())
  onAgent.onStreamOpened = (stream) =>
    stream.attach({
      onData: (chunk) => void stream.write(chunk),
      onEnd: () => stream.end(),
      onDrain: () => {},
      onClose: () => {},
    })
  const stream = service.openStream({ bindId: 'b', kind: 'raw', visitorAddress: '127.0.0.1:1' })
  stream.write(Buffer.from('hello'))
  stream.end()
  const got: Buffer[] = []
  const ending = await new Promise((resolve) =>
    stream.attach({
      onData: (chunk) => void got.push(chunk),
      onEnd: () => {},
      onDrain: () => {},
      onClose: resolve,
    }),
  )
  expect(ending).toEqual({ kind: 'finished' })
  expect(Buffer.concat(got).toString()).toBe('hello')
  agent.close({ code: 'shutdown', retryAfterMs: 0, message: '' })
})
