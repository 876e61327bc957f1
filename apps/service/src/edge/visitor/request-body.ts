import type { Readable } from 'node:stream'
import type { HeaderList } from '../headers/header-list.ts'

/** Receives a request body as it comes. */
export interface BodyReceiver {
  onData(chunk: Buffer): void
  onEnd(trailers: HeaderList): void
}

/** Ends visitors that go on sending a body nobody wants any more. */
export interface Linger {
  start(source: Readable): void
  stop(source: Readable): void
}

/** The body of a request, wherever it comes from. */
export interface ReadableBody {
  /** Starts delivery. A body that breaks off shows as the closing of the response, not here. */
  deliverTo(receiver: BodyReceiver): void
  /** The response does not depend on the rest: it is read and dropped, for a while, so that the visitor sees the response. */
  discard(): void
  pause(): void
  resume(): void
}

/** The body of a visitor's request, not read before somebody asks for it. */
export class RequestBody implements ReadableBody {
  readonly #source: Readable
  readonly #trailers: () => HeaderList
  readonly #linger: Linger

  constructor(source: Readable, trailers: () => HeaderList, linger: Linger) {
    this.#source = source
    this.#trailers = trailers
    this.#linger = linger
  }

  deliverTo(receiver: BodyReceiver): void {
    this.#source.on('data', (chunk: Buffer) => receiver.onData(chunk))
    this.#source.on('end', () => receiver.onEnd(this.#trailers()))
  }

  discard(): void {
    const source = this.#source
    if (source.readableEnded || source.destroyed) return
    this.#linger.start(source)
    source.on('close', () => this.#linger.stop(source))
    source.on('end', () => this.#linger.stop(source))
    source.resume()
  }

  pause(): void {
    this.#source.pause()
  }

  resume(): void {
    this.#source.resume()
  }
}
