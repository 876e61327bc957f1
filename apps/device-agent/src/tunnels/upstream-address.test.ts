import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseUpstreamAddress, refuseForbidden } from './upstream-address.ts'

describe('forwards_to', () => {
  it.each([
    ['8001', 'localhost', 8001, false],
    [':8001', 'localhost', 8001, false],
    ['localhost:8001', 'localhost', 8001, false],
    ['Printer.local:9100', 'printer.local', 9100, false],
    ['192.168.1.20:80', '192.168.1.20', 80, false],
    ['[::1]:8001', '::1', 8001, false],
    ['http://localhost:8001', 'localhost', 8001, false],
    ['http://host', 'host', 80, false],
    ['https://host/', 'host', 443, true],
    ['HTTPS://[2001:db8::1]:8443', '2001:db8::1', 8443, true],
  ])('%s is %s port %i', (text, host, port, isTls) => {
    expect(parseUpstreamAddress(text)).toEqual({ host, port, isTls, isHttp2: false })
  })

  it.each([
    ['h2c://localhost:50051', 'localhost', 50_051, false],
    ['h2c://host', 'host', 80, false],
    ['H2://[::1]', '::1', 443, true],
  ])('%s is HTTP/2 at %s port %i', (text, host, port, isTls) => {
    expect(parseUpstreamAddress(text)).toEqual({ host, port, isTls, isHttp2: true })
  })

  it.each([
    '',
    ':',
    'localhost',
    'localhost:',
    'localhost:0',
    'localhost:65536',
    'localhost:80x',
    'http://',
    'ftp://host:21',
    'h3://host:21',
    'constructor://host:21',
    '[::1',
    '[::1]',
    '[nonsense]:80',
    '::1:80',
    'user@host:80',
    'http://host:80/path',
    'http://host:80?x',
    'a b:80',
    '2130706433:80',
    '127.1:80',
    '0x7f000001:80',
    'host..name:80',
    '-host:80',
    '/run/app.sock',
  ])('refuses "%s"', (text) => {
    expect(() => parseUpstreamAddress(text)).toThrow(/^(must|may|has|needs)/)
  })

  it('never gives a port or host out of range, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (text) => {
        const { host, port } = parsed(text) ?? { host: 'refused', port: 1 }
        expect(host).not.toBe('')
        expect(port).toBeGreaterThanOrEqual(1)
        expect(port).toBeLessThanOrEqual(65_535)
      }),
    )
  })
})

function parsed(text: string) {
  try {
    return parseUpstreamAddress(text)
  } catch {
    return null
  }
}

describe('addresses that a tunnel must not lead to', () => {
  const refuse = (text: string) => () => refuseForbidden(parseUpstreamAddress(text), { ownPort: 4301 })

  it.each([
    'localhost:4301',
    '127.0.0.1:4301',
    '127.9.9.9:4301',
    '[::1]:4301',
    '[::ffff:127.0.0.1]:4301',
    '0.0.0.0:4301',
  ])('the agent itself: %s', (text) => {
    expect(refuse(text)).toThrow('the agent itself')
  })

  it.each([
    '169.254.169.254:80',
    '[fe80::1]:80',
    '[::ffff:169.254.169.254]:80',
    '[::ffff:a9fe:a9fe]:80',
    '[fd00:ec2::254]:80',
  ])('the metadata range: %s', (text) => {
    expect(refuse(text)).toThrow('link-local')
  })

  it('others are fine', () => {
    expect(refuse('localhost:8001')).not.toThrow()
    expect(refuse('192.168.1.1:4301')).not.toThrow()
  })
})
