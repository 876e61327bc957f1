import type { MuxStream, StreamEnding } from '@tunnel/session-protocol'
import type { Upstream } from './upstream-connection.ts'
import { type ForwardedStream, forwardStream } from './upstream-pipe.ts'

export interface StreamRouterOptions {
  /** Where a bind leads on this device; null when it is not ours. The service never names an address. */
  readonly findUpstream: (bindId: string) => Upstream | null
  /** The bind that is the agent's own API, and what serves it. */
  readonly ownApi: { readonly bindId: string; readonly serve: (stream: MuxStream) => void }
  readonly onStreamClosed?: (ending: StreamEnding) => void
}

const drainMs = 5000
const idleLookMs = 300

/** Leads each stream to the program that its bind stands for. */
export class StreamRouter {
  readonly #options: StreamRouterOptions
  readonly #streams = new Map<string, Set<ForwardedStream>>()

  constructor(options: StreamRouterOptions) {
    this.#options = options
  }

  accept(stream: MuxStream): void {
    const { bindId } = stream.header
    const { ownApi, findUpstream } = this.#options
    if (bindId === ownApi.bindId) return ownApi.serve(stream)
    const upstream = findUpstream(bindId)
    if (upstream === null) return stream.reset('refused', 'unknown bind')
    const streams = this.#streamsOf(bindId)
    const forwarded = forwardStream(stream, upstream, (ending) => {
      streams.delete(forwarded)
      if (streams.size === 0 && this.#streams.get(bindId) === streams) this.#streams.delete(bindId)
      this.#options.onStreamClosed?.(ending)
    })
    streams.add(forwarded)
  }

  /** A tunnel is gone: what runs through it has a moment to finish. */
  closeBind(bindId: string): void {
    const streams = this.#streams.get(bindId)
    if (streams === undefined) return
    this.#streams.delete(bindId)
    setTimeout(() => cut(streams), drainMs).unref()
  }

  /** The agent leaves: streams that carry nothing are only kept for reuse, and would hold everybody up. */
  drain(): void {
    setInterval(() => {
      const streams = [...this.#streams.values()].flatMap((ofOneBind) => [...ofOneBind])
      for (const stream of streams) if (!stream.takeActivity()) stream.cut('the agent stops')
    }, idleLookMs).unref()
  }

  #streamsOf(bindId: string): Set<ForwardedStream> {
    const known = this.#streams.get(bindId)
    if (known !== undefined) return known
    const streams = new Set<ForwardedStream>()
    this.#streams.set(bindId, streams)
    return streams
  }
}

function cut(streams: ReadonlySet<ForwardedStream>): void {
  for (const stream of streams) stream.cut('the tunnel was deleted')
}
