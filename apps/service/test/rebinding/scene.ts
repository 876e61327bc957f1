import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer as createHttpsServer } from 'node:https'
import { createServer } from 'node:net'
import { decode, encode } from 'dns-packet'
import { KeySetFetcher } from '../../src/policies/key-set-fetch.ts'
import { PrivateHosts } from '../../src/policies/private-hosts.ts'
import { staticUpstream } from '../../src/routing/static-upstream.ts'

/** An address of the Internet that this network namespace has for itself. */
const outside = '93.184.216.34'
const inside = '127.0.0.1'
const [httpsPort, bytesPort] = [8443, 8080]

/** What a name server that an attacker holds says, one look-up after the other; the last answer is for all that follow. */
const answers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'turns.test': [[outside], [inside]],
  'mixed.test': [[outside, inside]],
  'moves.test': [[outside]],
  'turns-too.test': [[outside], [inside]],
}
const asked: Record<string, number> = {}

await listen()
const insideConnections = await listenInside()
await using keySets = new KeySetFetcher(new PrivateHosts([]))
const outcome = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message)
const fetchFrom = (host: string) => outcome(keySets.fetch(`https://${host}:${httpsPort}/`).then(JSON.stringify))
const results = {
  first: await fetchFrom('turns.test'),
  lookUps: asked['turns.test'],
  second: await fetchFrom('turns.test'),
  mixed: await fetchFrom('mixed.test'),
  moved: await fetchFrom('moves.test'),
  backendFirst: await throughBackend('turns-too.test'),
  backendLookUps: asked['turns-too.test'],
  backendSecond: await throughBackend('turns-too.test'),
  insideConnections: insideConnections(),
}
process.stdout.write(`${JSON.stringify(results)}\n`)
process.exit()

async function listen(): Promise<void> {
  const [key, cert] = await Promise.all(
    [process.env['SCENE_KEY'], process.env['SCENE_CERT']].map((file = '') => readFile(file)),
  )
  const names = createSocket('udp4').on('message', (message, { port, address }) => {
    const query = decode(message)
    const [question] = query.questions ?? []
    const answersNow = question?.type === 'A' ? nextAnswer(question.name) : []
    const records = answersNow.map((data) => ({ type: 'A' as const, name: question?.name ?? '', ttl: 0, data }))
    const { id = 0, questions = [] } = query
    names.send(encode({ type: 'response', id, flags: 0x0400, questions, answers: records }), port, address)
  })
  names.bind(53, inside)
  const https = createHttpsServer({ key, cert }, ({ headers: { host = '' } }, response) => {
    const location = `https://${inside}:${httpsPort}/`
    response.writeHead(host.startsWith('moves') ? 302 : 200, { location, connection: 'close' }).end('{"keys":[]}')
  }).listen(httpsPort, outside)
  const bytes = createServer((socket) => socket.end('outside')).listen(bytesPort, outside)
  await Promise.all([names, https, bytes].map((server) => once(server, 'listening')))
}

function nextAnswer(name: string): readonly string[] {
  const turn = asked[name] ?? 0
  asked[name] = turn + 1
  return answers[name]?.[turn] ?? answers[name]?.at(-1) ?? []
}

/** Counts who gets to what only this machine may reach. */
async function listenInside(): Promise<() => number> {
  let connections = 0
  for (const port of [httpsPort, bytesPort])
    await once(createServer((socket) => void (connections++, socket.end('inside'))).listen(port, inside), 'listening')
  return () => connections
}

function throughBackend(host: string): Promise<string> {
  const target = { id: 'bkdsc_1', accountId: 'ac_1', address: `${host}:${bytesPort}`, isTls: false }
  const stream = staticUpstream(target, 'public').openStream({ visitorAddress: '192.0.2.1:1', kind: 'http' })
  let received = ''
  return new Promise((resolve) =>
    stream.attach({
      onData: (chunk) => (received += String(chunk)),
      onEnd: () => stream.end(),
      onDrain: () => undefined,
      onClose: (ending) => resolve(received === '' && ending.kind === 'reset' ? ending.code : received),
    }),
  )
}
