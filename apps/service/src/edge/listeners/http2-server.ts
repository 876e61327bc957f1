import {
  constants,
  createServer,
  type Http2Server,
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { HeaderList } from '../headers/header-list.ts'
import type { Intake } from '../intake.ts'
import type { EdgeLimits } from '../limits.ts'
import { limitControlFrames } from '../http2/control-frames.ts'
import { Http2Response } from '../visitor/http2-response.ts'
import { type Linger, RequestBody } from '../visitor/request-body.ts'
import type { ReceivedRequest } from '../visitor/visitor-request.ts'
import { type Visitor, visitorOf } from '../visitor/visitor.ts'

/** The sessions of visitors that speak HTTP/2, for draining. */
export interface Http2Sessions {
  readonly server: Http2Server
  /** Sends GOAWAY to all: streams that run finish, new ones are refused. */
  drain(): void
}

/** Speaks HTTP/2 with visitors over connections that the HTTPS listener hands in with `emit('connection')`. */
export function createHttp2Server(intake: Intake, limits: EdgeLimits, linger: Linger): Http2Sessions {
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer({
    settings: {
      enablePush: false,
      maxConcurrentStreams: limits.http2StreamsMaxCount,
      maxHeaderListSize: limits.requestHeadMaxBytes,
      initialWindowSize: limits.http2StreamWindowBytes,
    },
    maxHeaderListPairs: limits.requestHeadersMaxCount + pseudoHeaderCount,
    maxSendHeaderBlockLength: limits.responseHeadMaxBytes,
    maxSessionMemory: limits.http2SessionMemoryMegabytes,
    maxSettings: limits.http2SettingsMaxCount,
    maxSessionInvalidFrames: limits.http2InvalidFramesMaxCount,
    maxSessionRejectedStreams: limits.http2RejectedStreamsMaxCount,
    streamResetBurst: limits.http2ResetBurst,
    streamResetRate: limits.http2ResetsPerSecond,
    // An upstream of HTTP/1.1 may have sent such a field twice; the visitor gets what it sent.
    strictSingleValueFields: false,
  })
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    watchSession(session, limits)
  })
  server.on('stream', (stream, headers, flags, rawHeaders) => {
    const visitor = stream.session === undefined ? undefined : visitorOf(stream.session.socket)
    if (visitor === undefined) stream.destroy()
    else admitStream(intake, linger, visitor, stream, headers, flags, rawHeaders)
  })
  return { server, drain: () => sessions.forEach((session) => session.close()) }
}

/** Ends sessions that are quiet for too long, or that keep the service busy with frames that carry nothing. */
function watchSession(session: ServerHttp2Session, limits: EdgeLimits): void {
  limitControlFrames(session, limits)
  session.on('error', () => session.destroy())
  // Streams that run may finish; a visitor who has left must not be kept until the session has been quiet for long.
  session.socket.on('end', () => session.close())
  session.setTimeout(limits.visitorIdleMs, () => session.close())
}

const pseudoHeaderCount = 4

function admitStream(
  intake: Intake,
  linger: Linger,
  visitor: Visitor,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: HeaderList,
): void {
  let trailers: HeaderList = []
  stream.on('trailers', (_headers: unknown, _flags: unknown, rawTrailers: HeaderList) => (trailers = rawTrailers))
  stream.on('error', () => stream.close())
  intake.admit({
    visitor,
    received: receivedRequest(rawHeaders, (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0),
    upgrade: undefined,
    openBody: () => new RequestBody(stream, () => trailers, linger),
    openResponse: (counter) => new Http2Response(stream, visitor, counter),
    disconnect: () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
    passTo: (host) => {
      const request = new Http2ServerRequest(stream, headers, {}, rawHeaders)
      host.onRequest(request, new Http2ServerResponse(stream))
    },
  })
}

/** nghttp2 has checked that pseudo-headers are complete, unique and first, and names lower-case (RFC 9113 8.2, 8.3). */
function receivedRequest(rawHeaders: HeaderList, hasEnded: boolean): ReceivedRequest {
  const pseudo: Record<string, string> = {}
  const regular: string[] = []
  const cookies: string[] = []
  let headBytes = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const value = rawHeaders[i + 1] ?? ''
    headBytes += name.length + value.length
    if (name.startsWith(':')) pseudo[name] = value
    else if (name === 'cookie') cookies.push(value)
    else regular.push(name, value)
  }
  // HTTP/2 may split a cookie into several headers; HTTP/1.1 allows one (RFC 9113 8.2.3).
  if (cookies.length > 0) regular.push('cookie', cookies.join('; '))
  return {
    method: pseudo[':method'] ?? '',
    target: pseudo[':path'] ?? '',
    authority: pseudo[':authority'],
    rawHeaders: regular,
    version: '2.0',
    headBytes,
    hasEnded,
  }
}
