import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { malformed } from '../headers/request-headers.ts'
import type { Arrival } from '../intake.ts'
import type { OwnHost } from '../own-host.ts'
import { Http1Response } from '../visitor/http1-response.ts'
import { type Linger, RequestBody } from '../visitor/request-body.ts'
import { UpgradeResponse } from '../visitor/upgrade-response.ts'
import type { ReceivedRequest } from '../visitor/visitor-request.ts'
import type { ResponseCounter, VisitorResponse } from '../visitor/visitor-response.ts'
import { type Visitor, visitorOf } from '../visitor/visitor.ts'
import { answerUnread } from './unread-request.ts'

/** An ordinary request over HTTP/1.1. */
export class Http1Arrival implements Arrival {
  readonly visitor: Visitor
  readonly received: ReceivedRequest
  readonly upgrade = undefined
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #linger: Linger
  readonly #isContinueAwaited: boolean

  constructor(request: IncomingMessage, response: ServerResponse, linger: Linger, isContinueAwaited: boolean) {
    this.visitor = visitorOf(request.socket)
    this.received = receivedRequest(request)
    this.#request = request
    this.#response = response
    this.#linger = linger
    this.#isContinueAwaited = isContinueAwaited
  }

  openBody(): RequestBody {
    return new RequestBody(this.#request, () => this.#request.rawTrailers, this.#linger)
  }

  openResponse(counter: ResponseCounter): VisitorResponse {
    const response = new Http1Response(this.#response, this.visitor, counter, this.#isContinueAwaited)
    this.#response.on('close', () => response.onClosed())
    return response
  }

  passTo(host: OwnHost): void {
    if (this.#isContinueAwaited) this.#response.writeContinue()
    host.onRequest(this.#request, this.#response)
  }

  disconnect(): void {
    this.#request.socket.destroy()
  }
}

/** A request that asks to switch the protocol; Node has given up its hands on the connection. */
export class UpgradeArrival implements Arrival {
  readonly visitor: Visitor
  readonly received: ReceivedRequest
  readonly upgrade: string | undefined
  readonly #request: IncomingMessage
  readonly #socket: Socket
  /** What the visitor has sent after the request. */
  readonly #head: Buffer
  readonly #linger: Linger

  constructor(request: IncomingMessage, socket: Socket, head: Buffer, linger: Linger) {
    this.visitor = visitorOf(socket)
    this.received = receivedRequest(request)
    this.upgrade = request.headers.upgrade
    this.#request = request
    this.#socket = socket
    this.#head = head
    this.#linger = linger
  }

  openBody(): RequestBody {
    return new RequestBody(this.#request, () => [], this.#linger)
  }

  openResponse(counter: ResponseCounter): VisitorResponse {
    if (this.#head.length > 0) this.#socket.unshift(this.#head)
    const response = new UpgradeResponse(this.#request, this.#socket, this.visitor, counter)
    this.#socket.on('close', () => response.onClosed())
    return response
  }

  passTo(host: OwnHost): void {
    if (host.onUpgrade !== undefined) host.onUpgrade(this.#request, this.#socket, this.#head)
    else answerUnread(this.#socket, malformed('this host has nothing to upgrade to'))
  }

  disconnect(): void {
    this.#socket.destroy()
  }
}

function receivedRequest({ method, url, rawHeaders, httpVersion }: IncomingMessage): ReceivedRequest {
  const version = httpVersion === '1.1' || httpVersion === '1.0' ? httpVersion : 'other'
  return {
    method: method ?? '',
    target: url ?? '',
    rawHeaders,
    authority: undefined,
    version,
    headBytes: 0,
    hasEnded: false,
  }
}
