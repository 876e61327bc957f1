import { once } from 'node:events'
import { createSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Authority } from '../../src/dns/authority.ts'
import { type DnsServer, startDnsServer } from '../../src/dns/dns-server.ts'
import { dig, kdig } from './tools.ts'
import { hasPrograms, startRecursor } from '@tunnel/testkit'

const challenge = 'f7ekwqdb.acme-challenge.svc.test'
const junkPackets = 20_000

let server: DnsServer
let authority: Authority

beforeAll(async () => {
  authority = new Authority({
    domain: 'svc.test',
    publicIps: ['192.0.2.1', '192.0.2.2', '2001:db8::1'],
    nowSeconds: () => Date.now() / 1_000,
  })
  authority.publishText(challenge, ['one', 'two'])
  authority.publishText(
    'big.acme-challenge.svc.test',
    Array.from({ length: 12 }, (_, index) => `${index}-`.padEnd(200, 'x')),
  )
  authority.publishText('long.acme-challenge.svc.test', ['y'.repeat(700)])
  authority.loadIngress({
    domain: 'connect.acme.test',
    nsTargets: ['1.r.ns.svc.test.', '2.r.ns.svc.test.'],
    regionDomains: ['tunnel.eu.connect.acme.test'],
  })
  server = await startServer({ tcpIdleMs: 300 })
})

afterAll(() => server[Symbol.asyncDispose]())

function startServer({ tcpIdleMs }: { readonly tcpIdleMs: number }): Promise<DnsServer> {
  return startDnsServer({
    zones: authority.zones,
    listen: { host: '127.0.0.1', port: 0 },
    nowMs: () => performance.now(),
    onFailure: (error) => expect.fail(String(error)),
    answersPerSecondPerNetwork: 100_000,
    tcpIdleMs,
  })
}

describe.skipIf(!hasPrograms('dig'))('the DNS server, asked with dig', () => {
  const ask = (...words: string[]) => dig(server.port, ...words)

  it('answers a challenge record with authority', async () => {
    const reply = await ask('TXT', challenge)
    expect(reply).toMatch(/status: NOERROR[^]*flags: qr aa[; ]/)
    expect(reply).toMatch(/IN\s+TXT\s+"one"/)
    expect(reply).toMatch(/IN\s+TXT\s+"two"/)
  })

  it('echoes the case of the question', async () => {
    const reply = await ask('TXT', 'F7eKwQdB.AcMe-ChAlLeNgE.sVc.TeSt')
    expect(reply).toMatch(/^F7eKwQdB\.AcMe-ChAlLeNgE\.sVc\.TeSt\.\s+1\s+IN\s+TXT/m)
  })

  it('says "no such records" for the parent label, with a SOA of 60 seconds', async () => {
    const reply = await ask('A', 'acme-challenge.svc.test')
    expect(reply).toMatch(/status: NOERROR[^]*ANSWER: 0, AUTHORITY: 1/)
    expect(reply).toMatch(/^svc\.test\.\s+60\s+IN\s+SOA/m)
  })

  it('says "no such name" for an unknown label, and for an alias that is not in use', async () => {
    for (const name of ['unknown.acme-challenge.svc.test', 'left-over.account.cname.svc.test']) {
      const reply = await ask('A', name)
      expect(reply).toMatch(/status: NXDOMAIN[^]*AUTHORITY: 1/)
    }
  })

  it('transfers no zone', async () => {
    expect(await ask('AXFR', 'svc.test')).toContain('Transfer failed')
    expect(await ask('IXFR=1', 'svc.test')).toMatch(/Transfer failed|REFUSED/)
  })

  it('answers an unknown EDNS version with BADVERS', async () => {
    expect(await ask('+edns=1', '+noednsnegotiation', 'A', 'svc.test')).toContain('status: BADVERS')
  })

  it('truncates over UDP and gives everything over TCP', async () => {
    const udp = await ask('+bufsize=4096', '+ignore', 'TXT', 'big.acme-challenge.svc.test')
    expect(udp).toMatch(/flags: qr aa tc;[^]*ANSWER: 0/)
    expect(await ask('+bufsize=4096', 'TXT', 'big.acme-challenge.svc.test')).toContain('ANSWER: 12')
  })

  it('refuses foreign names and other classes', async () => {
    expect(await ask('CH', 'TXT', 'version.bind')).toContain('status: REFUSED')
    expect(await ask('A', 'example.com')).toContain('status: REFUSED')
  })

  it('implements queries only, and answers ANY with one record', async () => {
    expect(await ask('+opcode=UPDATE', 'svc.test')).toContain('status: NOTIMP')
    expect(await ask('+notcp', 'ANY', 'svc.test')).toMatch(/HINFO\s+"RFC8482" ""/)
  })

  it('joins a long text from its strings', async () => {
    expect(await ask('+short', 'TXT', 'long.acme-challenge.svc.test')).toMatch(/^"y{255}" "y{255}" "y{190}"$/m)
  })

  it('serves the addresses of the service, of free names and of name servers', async () => {
    expect((await ask('+short', 'A', 'any.free.svc.test')).trim().split('\n').toSorted()).toEqual([
      '192.0.2.1',
      '192.0.2.2',
    ])
    expect((await ask('+short', 'A', 'ns2.svc.test')).trim()).toBe('192.0.2.2')
    expect((await ask('+short', 'AAAA', '3.anything.ns.svc.test')).trim()).toBe('2001:db8::1')
  })
})

it.skipIf(!hasPrograms('kdig'))('answers several questions on one TCP connection', async () => {
  const reply = await kdig(server.port, '+tcp', '+keepopen', challenge, 'TXT', 'svc.test', 'SOA')
  expect(reply).toMatch(/"one"[^]*SOA/)
})

it.skipIf(!hasPrograms('dig'))(`survives ${junkPackets} random datagrams`, async () => {
  const socket = createSocket('udp4')
  const replies: number[] = []
  socket.on('message', (packet) => replies.push(packet.length))
  for (let sent = 0; sent < junkPackets; sent++) {
    const drained = Promise.withResolvers<void>()
    socket.send(randomBytes(sent % 300), server.port, '127.0.0.1', () => drained.resolve())
    if (sent % 100 === 0) await drained.promise
  }
  expect(await dig(server.port, 'TXT', challenge)).toContain('"one"')
  expect(Math.max(0, ...replies)).toBeLessThan(320)
  socket.close()
})

describe('a TCP peer that does not speak DNS is cut off', () => {
  const question = Buffer.from('0007000000010000000000000373766304746573740000010001', 'hex')
  const frame = Buffer.concat([Buffer.from([0, question.length]), question])
  it.each([
    ['an empty frame', Buffer.from([0, 0])],
    ['a frame that is not a query', Buffer.concat([Buffer.from([0, 12]), Buffer.alloc(12, 0xff)])],
    ['a frame that is too long', Buffer.concat([Buffer.from([0xff, 0xff]), Buffer.alloc(4_000)])],
    ['half a frame, after the idle time', frame.subarray(0, 9)],
    ['silence, after the idle time', Buffer.alloc(0)],
  ])('%s', async (_case, bytes) => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(bytes)
    socket.resume()
    await expect(once(socket, 'close')).resolves.toBeDefined()
    expect(await dig(server.port, 'TXT', challenge)).toContain('"one"')
  })

  it('a question that arrives octet by octet is answered', async () => {
    const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true })
    for (const octet of frame) socket.write(Buffer.of(octet))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.length).toBeGreaterThan(question.length)
    socket.destroy()
  })

  it('a client that asks and never reads', async () => {
    const socket = connect(server.port, '127.0.0.1')
    const cutOff = new Promise((resolve) => socket.on('error', resolve))
    await once(socket, 'connect')
    socket.pause()
    const big = Buffer.concat([
      Buffer.from('0007000000010000000000000362696e', 'hex').subarray(0, 12),
      Buffer.from('\u0003big\u000eacme-challenge\u0003svc\u0004test\0', 'latin1'),
      Buffer.from([0, 16, 0, 1]),
    ])
    const burst = Buffer.concat(Array.from({ length: 5_000 }, () => Buffer.concat([Buffer.from([0, big.length]), big])))
    socket.write(burst)
    await expect(cutOff).resolves.toMatchObject({ code: 'ECONNRESET' })
  })
})

describe('connections that only stay', () => {
  const start = () => startServer({ tcpIdleMs: 60_000 })
  const hold = async (port: number, localAddress: string, count: number) => {
    const sockets = Array.from({ length: count }, () => connect({ host: '127.0.0.1', port, localAddress }))
    for (const socket of sockets) socket.on('error', () => undefined).resume()
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    return sockets
  }

  it.skipIf(!hasPrograms('dig'))('make room for those that ask, however many networks hold them', async () => {
    await using crowded = await start()
    const networks = Array.from({ length: 18 }, (_, index) => `127.77.${index}.1`)
    const held: Socket[] = []
    for (const network of networks) held.push(...(await hold(crowded.port, network, 60)))
    await expect.poll(() => crowded.counters.count('tcpRefused'), { timeout: 5_000 }).toBe(18 * 60 - 1_024)
    expect(await dig(crowded.port, '+tcp', 'TXT', challenge)).toContain('"one"')
    for (const socket of held) socket.destroy()
  })

  it('are no more than its share for one network', async () => {
    await using crowded = await start()
    const held = await hold(crowded.port, '127.78.0.1', 80)
    await expect.poll(() => crowded.counters.count('tcpRefused'), { timeout: 5_000 }).toBe(16)
    for (const socket of held) socket.destroy()
  })
})

it.skipIf(!hasPrograms('unbound', 'dig'))(
  'resolves through a recursor that minimises and randomises its questions',
  async () => {
    await using unbound = await startRecursor({
      'svc.test': `127.0.0.1@${server.port}`,
      'connect.acme.test': `127.0.0.1@${server.port}`,
    })
    const ask = (...words: string[]) => dig(unbound.port, '+rec', '+short', ...words)
    expect(await ask('TXT', challenge)).toContain('"one"')
    expect(await ask('A', 'connect.acme.test')).toContain('192.0.2.1')
    expect(await ask('A', 'tunnel.eu.connect.acme.test')).toContain('192.0.2.1')
    expect(await ask('NS', 'connect.acme.test')).toContain('1.r.ns.svc.test.')
    expect(await dig(unbound.port, '+rec', 'A', 'nothing.connect.acme.test')).toContain('status: NXDOMAIN')
  },
)
