import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fieldLine } from '../http1/request-head.ts'
import type { HeaderList } from '../headers/header-list.ts'
import type { ResponseFraming, ResponseHead } from '../http1/response-head.ts'
import { noObserver, type ResponseCounter, type ResponseObserver, type VisitorResponse } from './visitor-response.ts'
import type { Visitor } from './visitor.ts'

/** Up to this size, a body that is complete with its head leaves in one write together with it. */
const joinedMaxBytes = 16_384

/** A response over HTTP/1.1, on Node's own server. */
export class Http1Response implements VisitorResponse {
  observer: ResponseObserver = noObserver
  protected readonly response: ServerResponse
  readonly #visitor: Visitor
  readonly #counter: ResponseCounter
  /** The visitor holds the body back until 100: after a final response nobody knows whether it still comes. */
  #isContinueAwaited: boolean

  constructor(response: ServerResponse, visitor: Visitor, counter: ResponseCounter, isContinueAwaited: boolean) {
    this.response = response
    this.#visitor = visitor
    this.#counter = counter
    this.#isContinueAwaited = isContinueAwaited
  }

  /** To be called once, when nothing more can reach the visitor. */
  onClosed(): void {
    this.observer.onClose(this.isComplete)
    this.#counter.onResponseClosed(this.#visitor)
  }

  protected get isComplete(): boolean {
    return this.response.writableFinished
  }

  /** Whether the connection ends after this response. */
  protected get isLast(): boolean {
    return this.#isContinueAwaited || this.#counter.isDraining
  }

  sendInterim(head: ResponseHead): void {
    if (head.status === 100) return this.#continue()
    // Without a socket this response waits behind a pipelined one; an interim response is no longer useful then.
    this.response.socket?.write(serialiseHead(head), 'latin1')
  }

  start({ status, reason, headers }: ResponseHead): void {
    const sent = this.isLast ? [...headers, 'Connection', 'close'] : headers
    this.response.writeHead(status, reason, sent)
  }

  flush(): void {
    this.response.flushHeaders()
  }

  write(chunk: Buffer): boolean {
    const mayContinue = this.response.write(chunk)
    if (!mayContinue) this.response.once('drain', () => this.observer.onDrain())
    return mayContinue
  }

  end(lastChunk: Buffer | undefined, trailers: HeaderList): void {
    if (trailers.length > 0) this.response.addTrailers(pairs(trailers))
    if (lastChunk === undefined) this.response.end()
    // As a string, head and body become one string and one write; as a buffer, they are two.
    else if (lastChunk.length <= joinedMaxBytes) this.response.end(lastChunk.toString('latin1'), 'latin1')
    else this.response.end(lastChunk)
  }

  abort(): void {
    this.response.destroy()
  }

  switchProtocols(_head: ResponseHead & Pick<ResponseFraming, 'upgrade'>): Duplex {
    throw new Error('the request did not ask for an upgrade')
  }

  takeConnection(): Socket {
    throw new Error('the request did not ask for an upgrade')
  }

  #continue(): void {
    this.#isContinueAwaited = false
    this.response.writeContinue()
  }
}

/** A head as text, for what is written to a socket without a ServerResponse. */
export function serialiseHead({ status, reason, headers }: ResponseHead): string {
  let lines = `HTTP/1.1 ${status} ${reason}\r\n`
  for (let i = 0; i < headers.length; i += 2) lines += fieldLine(headers[i] ?? '', headers[i + 1] ?? '')
  return `${lines}\r\n`
}

function pairs(headers: HeaderList): [string, string][] {
  return Array.from({ length: headers.length / 2 }, (_, i) => [headers[2 * i] ?? '', headers[2 * i + 1] ?? ''])
}
