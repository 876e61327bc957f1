import type { MuxStream, StreamEnding } from '@tunnel/session-protocol'
import type { Upstream } from './upstream-connection.ts'
import { forwardStream } from './upstream-pipe.ts'

export interface StreamRouterOptions {
  /** Where a bind leads on this device; null when it is not ours. The service never names an address. */
  readonly findUpstream: (bindId: string) => Upstream | null
  /** The bind that is the agent's own API, and what serves it. */
  readonly ownApi: { readonly bindId: string; readonly serve: (stream: MuxStream) => void }
  readonly onStreamClosed?: (ending: StreamEnding) => void
}

const drainMs = 5000

/** Leads each stream to the program that its bind stands for. */
export class StreamRouter {
  readonly #options: StreamRouterOptions
  readonly #streams = new Map<string, Set<MuxStream>>()

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
    streams.add(stream)
    forwardStream(stream, upstream, (ending) => {
      streams.delete(stream)
      if (streams.size === 0 && this.#streams.get(bindId) === streams) this.#streams.delete(bindId)
      this.#options.onStreamClosed?.(ending)
    })
  }

  /** A tunnel is gone: what runs through it has a moment to finish. */
  closeBind(bindId: string): void {
    const streams = this.#streams.get(bindId)
    if (streams === undefined) return
    this.#streams.delete(bindId)
    setTimeout(() => cut(streams), drainMs).unref()
  }

  #streamsOf(bindId: string): Set<MuxStream> {
    const known = this.#streams.get(bindId)
    if (known !== undefined) return known
    const streams = new Set<MuxStream>()
    this.#streams.set(bindId, streams)
    return streams
  }
}

function cut(streams: ReadonlySet<MuxStream>): void {
  for (const stream of streams) stream.reset('cancelled', 'the tunnel was deleted')
}
