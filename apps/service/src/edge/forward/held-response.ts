import type { Exchange } from '../exchange.ts'
import type { HeaderList } from '../headers/header-list.ts'
import type { ResponseHead } from '../http1/response-head.ts'

/**
 * Holds back the latest part of a response until it is known what follows it at once, so that head, last chunk and end leave in
 * one write. `flush` lets it go. Where false comes back the visitor has to catch up first.
 */
export class HeldResponse {
  readonly #exchange: Exchange
  #chunk: Buffer | undefined
  #isHeadHeld = false

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  start(head: ResponseHead): void {
    this.#isHeadHeld = true
    this.#exchange.start(head)
  }

  write(chunk: Buffer): boolean {
    const isTaken = this.#writeChunk()
    this.#chunk = chunk
    this.#exchange.responseBytes += chunk.length
    return isTaken
  }

  flush(): boolean {
    if (this.#isHeadHeld && this.#chunk === undefined) this.#exchange.response.flush()
    this.#isHeadHeld = false
    return this.#writeChunk()
  }

  end(trailers: HeaderList): void {
    const lastChunk = this.#chunk
    this.#chunk = undefined
    this.#isHeadHeld = false
    this.#exchange.response.end(lastChunk, trailers)
  }

  #writeChunk(): boolean {
    const chunk = this.#chunk
    if (chunk === undefined) return true
    this.#chunk = undefined
    this.#isHeadHeld = false
    return this.#exchange.response.write(chunk)
  }
}
