import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProtocolError } from '../protocol-error.ts'
import type { Hello } from './agent-messages.ts'
import { parseAgentMessage, parseServiceMessage } from './parse-control.ts'

const hello: Hello = {
  type: 'hello',
  protocolVersions: [2],
  authtoken: 'secret-token',
  agentVersion: '1.0.0',
  os: 'linux',
  arch: 'arm64',
  hostname: 'device',
  metadata: '',
  labels: { site: 'a' },
  capabilities: { restart: '', stop: '', update: 'not built in' },
  resume: null,
  installId: 'i',
  bootId: 'b',
  maxStreams: 100,
}

const parse = (message: unknown) => parseAgentMessage(Buffer.from(JSON.stringify(message)))

describe('a hello', () => {
  it('is read as it was sent, with fields of later versions', () => {
    expect(parse(hello)).toEqual(hello)
    expect(parse({ ...hello, colour: 'green' })).toMatchObject(hello)
  })

  it.each([
    ['metadata over 4096 bytes', { metadata: 'x'.repeat(4097) }],
    ['metadata over 4096 bytes in fewer characters', { metadata: 'é'.repeat(2049) }],
    ['too many labels', { labels: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'v'])) }],
    ['a label key over the bound', { labels: { ['k'.repeat(129)]: 'v' } }],
    ['a label value that is no text', { labels: { k: 1 } }],
    ['no protocol version', { protocolVersions: [] }],
    ['an authtoken over the bound', { authtoken: 'x'.repeat(257) }],
    ['half a resume identity', { resume: { clientId: 'a' } }],
    ['a missing field', { os: undefined }],
    ['no streams', { maxStreams: 0 }],
  ])('with %s is a breach, and the reason never repeats a secret', (_name, change) => {
    expect(() => parse({ ...hello, ...change })).toThrow(ProtocolError)
    expect(() => parse({ ...hello, ...change })).not.toThrow('secret-token')
  })
})

it('ignores messages that it does not know', () => {
  expect(parse({ type: 'telemetry', value: 1 })).toBeNull()
  expect(parse({ type: 'constructor' })).toBeNull()
  expect(parseServiceMessage(Buffer.from('{"type":"hello"}'))).toBeNull()
})

it('takes bind ids that fit into a stream header, and no others', () => {
  const bind = {
    type: 'bind',
    protocol: 'http',
    domain: null,
    labels: null,
    policy: { inbound: [] },
    metadata: null,
    forwardsTo: 'localhost:80',
    upstreamProtocol: 'http1',
  }
  expect(parse({ ...bind, bindId: 'x'.repeat(64) })).toMatchObject({ policy: { inbound: [] } })
  for (const bindId of ['', 'x'.repeat(65), 'a b', 'é', 'a\n']) {
    expect(() => parse({ ...bind, bindId })).toThrow(ProtocolError)
  }
})

describe('any JSON and any bytes', () => {
  const types = [
    'hello',
    'bind',
    'unbind',
    'commandResult',
    'welcome',
    'refused',
    'bindResult',
    'command',
    'stopTunnel',
  ]
  const typed = fc.tuple(fc.constantFrom(...types), fc.object()).map(([type, value]) => ({ ...value, type }))
  const json = fc.oneof(fc.jsonValue(), typed).map((value) => JSON.stringify(value))

  it('throw nothing but protocol errors', () => {
    const inputs = fc.oneof(json, fc.string()).map((text) => Buffer.from(text))
    fc.assert(
      fc.property(inputs, (bytes) => {
        expect(isTolerated(bytes)).toBe(true)
      }),
    )
  })

  it('may be nested deeply', () => {
    expect(isTolerated(Buffer.from('['.repeat(100_000)))).toBe(true)
    expect(isTolerated(Buffer.from(`{"type":"bind","policy":${'['.repeat(50_000)}${']'.repeat(50_000)}}`))).toBe(true)
  })
})

/** Whether both parsers read the bytes or throw what they may throw. */
function isTolerated(bytes: Buffer): boolean {
  return [parseAgentMessage, parseServiceMessage].every((parser) => {
    try {
      parser(bytes)
      return true
    } catch (error) {
      return error instanceof ProtocolError
    }
  })
}
