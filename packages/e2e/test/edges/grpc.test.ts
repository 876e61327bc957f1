import { readFileSync } from 'node:fs'
import {
  type ClientReadableStream,
  credentials,
  makeGenericClientConstructor,
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Stack } from '../../src/stack.ts'

type Message = Buffer

const asIs = (message: Message): Message => message
const method = (name: string, requestStream: boolean, responseStream: boolean) => ({
  path: `/test.Echo/${name}`,
  requestStream,
  responseStream,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
})
const service: ServiceDefinition = {
  unary: method('Unary', false, false),
  collect: method('Collect', true, false),
  repeat: method('Repeat', false, true),
  chat: method('Chat', true, true),
  fail: method('Fail', false, false),
  hang: method('Hang', false, true),
}

let stack: Stack
let server: Server
let client: InstanceType<ReturnType<typeof makeGenericClientConstructor>>
const cancelled = Promise.withResolvers<void>()

const implementation: UntypedServiceImplementation = {
  unary: (call: ServerUnaryCall<Message, Message>, done: sendUnaryData<Message>) => done(null, call.request),
  collect: (call: ServerReadableStream<Message, Message>, done: sendUnaryData<Message>) => {
    let count = 0
    call.on('data', () => (count += 1))
    call.on('end', () => done(null, Buffer.from(String(count))))
  },
  repeat: (call: ServerWritableStream<Message, Message>) => {
    for (let i = 0; i < 100; i++) call.write(call.request)
    call.end()
  },
  chat: (call: ServerDuplexStream<Message, Message>) => {
    call.on('data', (message: Message) => call.write(message))
    call.on('end', () => call.end())
  },
  fail: (_call: ServerUnaryCall<Message, Message>, done: sendUnaryData<Message>) =>
    done({ code: status.FAILED_PRECONDITION, details: 'not so' }),
  hang: (call: ServerWritableStream<Message, Message>) => {
    call.write(Buffer.from('begun'))
    call.on('cancelled', () => cancelled.resolve())
  },
}

beforeAll(async () => {
  stack = await Stack.start()
  server = new Server({ 'grpc.max_receive_message_length': -1 })
  server.addService(service, implementation)
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  const domain = `grpc.${stack.service.zone}`
  await stack.agent.createTunnel({ forwards_to: `h2c://127.0.0.1:${port}`, domain })
  const Client = makeGenericClientConstructor(service, 'Echo')
  const roots = credentials.createSsl(readFileSync(stack.service.caFile))
  client = new Client(`127.0.0.1:${stack.service.ports.edgeHttps}`, roots, {
    'grpc.ssl_target_name_override': domain,
    'grpc.default_authority': domain,
    'grpc.max_receive_message_length': -1,
  })
})

afterAll(async () => {
  client.close()
  server.forceShutdown()
  await stack[Symbol.asyncDispose]()
})

type Reply = (error: (Error & { code: number; details: string }) | null, message?: Message) => void

/** The client's methods have no types without a compiler. */
function invoke(name: string, ...rest: unknown[]): unknown {
  const run = client[name] as (...parameters: unknown[]) => unknown
  return run.apply(client, rest)
}

function unary(name: string, message: Message, options: object = {}): Promise<Message> {
  return new Promise((resolve, reject) => {
    const reply: Reply = (error, answer) => (error === null ? resolve(answer ?? Buffer.alloc(0)) : reject(error))
    invoke(name, message, options, reply)
  })
}

describe('gRPC through a tunnel', () => {
  it('a unary call', async () => {
    expect(String(await unary('unary', Buffer.from('hello')))).toBe('hello')
  })

  it('a message of 8 MB each way', async () => {
    const large = Buffer.alloc(8_000_000, 'tunnel')
    expect((await unary('unary', large)).equals(large)).toBe(true)
  })

  it('a stream of the client', async () => {
    const answer = await new Promise<Message>((resolve, reject) => {
      const reply: Reply = (error, message) => (error === null ? resolve(message ?? Buffer.alloc(0)) : reject(error))
      const stream = invoke('collect', reply) as ServerDuplexStream<Message, Message>
      for (let i = 0; i < 50; i++) stream.write(Buffer.from('part'))
      stream.end()
    })
    expect(String(answer)).toBe('50')
  })

  it('a stream of the server', async () => {
    const stream = invoke('repeat', Buffer.from('again')) as ClientReadableStream<Message>
    const messages: string[] = []
    for await (const message of stream as AsyncIterable<Message>) messages.push(String(message))
    expect(messages).toEqual(Array<string>(100).fill('again'))
  })

  it('streams in both directions at the same time, each message as soon as it is sent', async () => {
    const stream = invoke('chat') as ServerDuplexStream<Message, Message>
    const answers = (stream as AsyncIterable<Message>)[Symbol.asyncIterator]()
    for (const text of ['one', 'two', 'three']) {
      stream.write(Buffer.from(text))
      expect(String((await answers.next()).value)).toBe(text)
    }
    stream.end()
    expect((await answers.next()).done).toBe(true)
  })

  it('a failure of the server comes with its status', async () => {
    await expect(unary('fail', Buffer.alloc(0))).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: 'not so',
    })
  })

  it('a method that is not there', async () => {
    const Other = makeGenericClientConstructor({ other: method('Other', false, false) }, 'Echo')
    const other = new Other('x', credentials.createInsecure(), { channelOverride: client.getChannel() })
    const failure = await new Promise((resolve) => {
      const run = other['other'] as (message: Message, reply: Reply) => void
      run.call(other, Buffer.alloc(0), (error) => resolve(error))
    })
    expect(failure).toMatchObject({ code: status.UNIMPLEMENTED })
  })

  it('a deadline ends the call on both sides', async () => {
    const stream = invoke('hang', Buffer.alloc(0), { deadline: Date.now() + 1_000 }) as ClientReadableStream<Message>
    const failure = await new Promise((resolve) => stream.on('data', () => undefined).on('error', resolve))
    expect(failure).toMatchObject({ code: status.DEADLINE_EXCEEDED })
    await cancelled.promise
  })

  it('without its server a call is unavailable, so that clients try again', async () => {
    const domain = `nobody.${stack.service.zone}`
    await stack.agent.createTunnel({ forwards_to: 'h2c://127.0.0.1:1', domain })
    const headers = { 'grpc.ssl_target_name_override': domain, 'grpc.default_authority': domain }
    const Client = makeGenericClientConstructor(service, 'Echo')
    const roots = credentials.createSsl(readFileSync(stack.service.caFile))
    const nobody = new Client(`127.0.0.1:${stack.service.ports.edgeHttps}`, roots, headers)
    const failure = await new Promise<{ code: number; metadata: Metadata }>((resolve) => {
      const run = nobody['unary'] as (message: Message, reply: (error: never) => void) => void
      run.call(nobody, Buffer.alloc(0), resolve)
    })
    nobody.close()
    expect(failure.code).toBe(status.UNAVAILABLE)
  })
})
