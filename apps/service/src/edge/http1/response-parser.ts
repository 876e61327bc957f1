import type { HeaderList } from '../headers/header-list.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'
import { parseResponseHead, type ResponseFraming, type ResponseHead, ResponseSyntaxError } from './response-head.ts'

/** Bounds of what an upstream may send beside bodies. */
export interface ResponseBounds {
  readonly headMaxBytes: number
  readonly headersMaxCount: number
  readonly interimMaxCount: number
}

/** What of the request decides how its response is read. */
export interface ResponseContext {
  readonly isHead: boolean
  /** 101 is an answer only when the request asked for it. */
  readonly mayUpgrade: boolean
}

/** Receives one response; called while `push` or `finish` runs. */
export interface ResponseReceiver {
  onInterim(head: ResponseHead): void
  onHead(head: ResponseHead): void
  /** A view on the input. */
  onBody(chunk: Buffer): void
  onComplete(trailers: HeaderList): void
  /** After a 101: everything that follows is not HTTP, beginning with `rest`. */
  onUpgrade(head: ResponseHead & ResponseFraming, rest: Buffer): void
}

type State = 'idle' | 'head' | 'length' | 'chunked' | 'until-close' | 'upgraded'

const noBytes: Buffer = Buffer.alloc(0)
const endOfHead = Buffer.from('\r\n\r\n')

/** Strict, incremental parser of HTTP/1.1 responses on one connection, one after the other. */
export class ResponseParser {
  readonly #bounds: ResponseBounds
  readonly #receiver: ResponseReceiver
  #state: State = 'idle'
  #context: ResponseContext = { isHead: false, mayUpgrade: false }
  /** The beginning of a head that is not complete yet. */
  #held = noBytes
  #remaining = 0
  #interimCount = 0
  #decoder: ChunkedDecoder | undefined
  #keepsAlive = false
  #hasBytes = false

  constructor(bounds: ResponseBounds, receiver: ResponseReceiver) {
    this.#bounds = bounds
    this.#receiver = receiver
  }

  /** Bytes of the expected response have come. */
  get hasBytes(): boolean {
    return this.#hasBytes
  }

  /** The last response was complete, nothing followed it, and the upstream keeps the connection. */
  get isReusable(): boolean {
    return this.#state === 'idle' && this.#keepsAlive
  }

  /** A request was sent: its response is next. */
  expect(context: ResponseContext): void {
    this.#context = context
    this.#state = 'head'
    this.#interimCount = 0
    this.#hasBytes = false
  }

  /** Throws ResponseSyntaxError; nothing can be read from this connection afterwards. */
  push(input: Buffer): void {
    this.#hasBytes = true
    let position = 0
    while (position < input.length) position = this.#step(input, position)
  }

  /** The upstream will send no more. Throws ResponseSyntaxError when that cuts a response short. */
  finish(): void {
    this.#keepsAlive = false
    if (this.#state === 'until-close') this.#complete([])
    else if (this.#state !== 'idle' && this.#state !== 'upgraded')
      throw new ResponseSyntaxError('the response ended before it was complete')
  }

  #step(input: Buffer, position: number): number {
    switch (this.#state) {
      case 'head':
        return this.#takeHead(input, position)
      case 'length':
        return this.#takeLength(input, position)
      case 'chunked':
        return this.#takeChunked(input, position)
      case 'until-close':
        this.#receiver.onBody(position === 0 ? input : input.subarray(position))
        return input.length
      case 'idle':
      case 'upgraded':
        // Bytes after the end of a response: whatever they are, nobody asked for them.
        this.#keepsAlive = false
        return input.length
    }
  }

  #takeHead(input: Buffer, position: number): number {
    const heldBytes = this.#held.length
    const text = heldBytes === 0 ? input : Buffer.concat([this.#held, input.subarray(position)])
    const start = heldBytes === 0 ? position : 0
    const end = text.indexOf(endOfHead, Math.max(start, heldBytes - endOfHead.length))
    if ((end === -1 ? text.length : end) - start > this.#bounds.headMaxBytes)
      throw new ResponseSyntaxError('the head is too large')
    if (end === -1) {
      this.#held = text === input ? Buffer.from(input.subarray(position)) : text
      return input.length
    }
    this.#held = noBytes
    const next = end + endOfHead.length - (heldBytes === 0 ? 0 : heldBytes - position)
    this.#beginResponse(
      parseResponseHead(text.toString('latin1', start, end), this.#bounds.headersMaxCount),
      input,
      next,
    )
    return this.#state === 'upgraded' ? input.length : next
  }

  #beginResponse(head: ResponseHead & ResponseFraming, input: Buffer, next: number): void {
    if (head.status === 101) return this.#beginUpgrade(head, input.subarray(next))
    if (head.status < 200) return this.#passInterim(head)
    this.#keepsAlive = head.keepsAlive
    this.#receiver.onHead(head)
    this.#beginBody(head)
  }

  #beginBody(head: ResponseHead & ResponseFraming): void {
    if (this.#context.isHead || head.status === 204 || head.status === 304 || head.contentLength === 0)
      this.#complete([])
    else if (head.isChunked) this.#beginChunked()
    else if (head.contentLength === undefined) this.#state = 'until-close'
    else {
      this.#state = 'length'
      this.#remaining = head.contentLength
    }
  }

  #beginChunked(): void {
    this.#state = 'chunked'
    const bounds = { maxBytes: this.#bounds.headMaxBytes, maxCount: this.#bounds.headersMaxCount }
    this.#decoder = new ChunkedDecoder(bounds, (chunk) => this.#receiver.onBody(chunk))
  }

  #passInterim(head: ResponseHead): void {
    this.#interimCount += 1
    if (this.#interimCount > this.#bounds.interimMaxCount) throw new ResponseSyntaxError('too many interim responses')
    this.#receiver.onInterim(head)
  }

  #beginUpgrade(head: ResponseHead & ResponseFraming, rest: Buffer): void {
    if (!this.#context.mayUpgrade) throw new ResponseSyntaxError('101 without a request to upgrade')
    this.#state = 'upgraded'
    this.#receiver.onUpgrade(head, rest)
  }

  #takeLength(input: Buffer, position: number): number {
    const end = Math.min(position + this.#remaining, input.length)
    this.#remaining -= end - position
    this.#receiver.onBody(input.subarray(position, end))
    if (this.#remaining === 0) this.#complete([])
    return end
  }

  #takeChunked(input: Buffer, position: number): number {
    const decoder = this.#decoder
    if (decoder === undefined) return input.length
    const end = decoder.push(input, position)
    if (decoder.trailers !== undefined) this.#complete(decoder.trailers)
    return end
  }

  /** Whether the connection is reusable is known when `push` has returned: bytes may follow the end. */
  #complete(trailers: HeaderList): void {
    this.#state = 'idle'
    this.#decoder = undefined
    this.#receiver.onComplete(trailers)
  }
}
