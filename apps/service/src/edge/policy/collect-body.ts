import { ServiceError } from '@tunnel/models'
import type { Exchange } from '../exchange.ts'
import type { HeaderList } from '../headers/header-list.ts'
import type { BodyReceiver, ReadableBody } from '../visitor/request-body.ts'

/** How long a visitor may take to send a body that a policy has to see whole. */
const collectMs = 30_000

/**
 * Reads the body of a request whole, and leaves it in its place for the upstream. Rejects when it is longer than
 * `maxBytes`, slow, or broken off. The same body is read once, however often it is asked for.
 */
export async function collectBody(exchange: Exchange, maxBytes: number): Promise<Uint8Array> {
  const { body } = exchange
  if (body === null) return Buffer.alloc(0)
  if (body instanceof CollectedBody) return body.read(maxBytes)
  if (exchange.request.expectsContinue) exchange.response.sendInterim({ status: 100, reason: 'Continue', headers: [] })
  exchange.request = { ...exchange.request, expectsContinue: false }
  const collected = await receive(exchange, body, maxBytes)
  exchange.body = collected
  return collected.read(maxBytes)
}

function receive(exchange: Exchange, body: ReadableBody, maxBytes: number): Promise<CollectedBody> {
  const { promise, resolve, reject } = Promise.withResolvers<CollectedBody>()
  const timer = setTimeout(() => reject(new ServiceError('request_too_slow')), collectMs)
  const chunks: Buffer[] = []
  let size = 0
  exchange.driver = { onVisitorDrain: () => undefined, onVisitorClose: () => reject(new Error('the visitor left')) }
  body.deliverTo({
    onData(chunk) {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else reject(new Error(`the body is longer than ${maxBytes} bytes`))
    },
    onEnd: (trailers) => resolve(new CollectedBody(Buffer.concat(chunks), trailers)),
  })
  return promise.finally(() => clearTimeout(timer))
}

/** A body that is here already. */
class CollectedBody implements ReadableBody {
  readonly #bytes: Buffer
  readonly #trailers: HeaderList

  constructor(bytes: Buffer, trailers: HeaderList) {
    this.#bytes = bytes
    this.#trailers = trailers
  }

  read(maxBytes: number): Uint8Array {
    if (this.#bytes.length > maxBytes) throw new Error(`the body is longer than ${maxBytes} bytes`)
    return this.#bytes
  }

  /** In the next turn, as a body that arrives would. */
  deliverTo(receiver: BodyReceiver): void {
    setImmediate(() => {
      if (this.#bytes.length > 0) receiver.onData(this.#bytes)
      receiver.onEnd(this.#trailers)
    })
  }

  discard(): void {
    // There is nothing left to read.
  }

  pause(): void {
    // It was delivered in one piece.
  }

  resume(): void {
    // It was delivered in one piece.
  }
}
