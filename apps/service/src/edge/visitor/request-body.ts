import type { Readable } from 'node:stream'
import type { HeaderList } from '../headers/header-list.ts'

/** Receives a request body as it comes. */
export interface BodyReceiver {
  onData(chunk: Buffer): void
  onEnd(trailers: HeaderList): void
}

/** The body of a visitor's request, not read before somebody asks for it. */
export class RequestBody {
  readonly #source: Readable
  readonly #trailers: () => HeaderList

  constructor(source: Readable, trailers: () => HeaderList) {
    this.#source = source
    this.#trailers = trailers
  }

  /** Starts delivery. A body that breaks off shows as the closing of the response, not here. */
  deliverTo(receiver: BodyReceiver): void {
    this.#source.on('data', (chunk: Buffer) => receiver.onData(chunk))
    this.#source.on('end', () => receiver.onEnd(this.#trailers()))
  }

  pause(): void {
    this.#source.pause()
  }

  resume(): void {
    this.#source.resume()
  }
}
