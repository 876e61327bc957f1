import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ResponseFraming, ResponseHead } from '../http1/response-head.ts'
import { Http1Response, serialiseHead } from './http1-response.ts'
import type { ResponseCounter } from './visitor-response.ts'
import type { Visitor } from './visitor.ts'

/**
 * The response to a request that asks for an upgrade. Node has taken its own hands off the connection by then, so
 * an ordinary answer is written through a ServerResponse of ours, and the connection ends after it.
 */
export class UpgradeResponse extends Http1Response {
  readonly #socket: Socket
  #hasSwitched = false

  constructor(request: IncomingMessage, socket: Socket, visitor: Visitor, counter: ResponseCounter) {
    super(new ServerResponse(request), visitor, counter, false)
    this.#socket = socket
    this.response.assignSocket(socket)
    this.response.on('finish', () => socket.end())
    socket.on('drain', () => this.response.emit('drain'))
    socket.on('error', () => socket.destroy())
  }

  /** What follows a 101 has no end that could be missed. */
  protected override get isComplete(): boolean {
    return this.#hasSwitched || super.isComplete
  }

  protected override get isLast(): boolean {
    return true
  }

  override switchProtocols(head: ResponseHead & Pick<ResponseFraming, 'upgrade'>): Duplex {
    const headers = [...head.headers, 'Connection', 'Upgrade', 'Upgrade', head.upgrade ?? '']
    const socket = this.takeConnection()
    socket.write(serialiseHead({ ...head, headers }), 'latin1')
    return socket
  }

  override takeConnection(): Socket {
    this.#hasSwitched = true
    this.response.detachSocket(this.#socket)
    return this.#socket
  }

  override abort(): void {
    this.#socket.destroy()
  }
}
