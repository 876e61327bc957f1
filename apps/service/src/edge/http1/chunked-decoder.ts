import type { HeaderList } from '../headers/header-list.ts'
import { parseTrailers, ResponseSyntaxError } from './response-head.ts'

const sizeLineMaxBytes = 1_024
const sizeLine = /^([0-9A-Fa-f]{1,13})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Bounds of the trailer section. */
export interface TrailerBounds {
  readonly maxBytes: number
  readonly maxCount: number
}

/**
 * Decodes a chunked body (RFC 9112 7.1) as it comes, in pieces of any size. Extensions are dropped.
 * Data goes to `onData` as views on the input.
 */
export class ChunkedDecoder {
  #state: 'size' | 'data' | 'after-data' | 'trailers' | 'done' = 'size'
  #remaining = 0
  /** The beginning of a line that is not complete yet. */
  #line = ''
  #trailerLines: string[] = []
  #trailerBytes = 0
  readonly #bounds: TrailerBounds
  readonly #onData: (chunk: Buffer) => void

  constructor(bounds: TrailerBounds, onData: (chunk: Buffer) => void) {
    this.#bounds = bounds
    this.#onData = onData
  }

  /** Set once the body is complete. */
  trailers: HeaderList | undefined

  /** Takes input from `start`; returns where it stopped: the end of the input, or of the body. Throws ResponseSyntaxError. */
  push(input: Buffer, start: number): number {
    let position = start
    while (position < input.length && this.#state !== 'done')
      position = this.#state === 'data' ? this.#takeData(input, position) : this.#takeLine(input, position)
    return position
  }

  #takeData(input: Buffer, position: number): number {
    const end = Math.min(position + this.#remaining, input.length)
    this.#remaining -= end - position
    if (this.#remaining === 0) this.#state = 'after-data'
    this.#onData(input.subarray(position, end))
    return end
  }

  #takeLine(input: Buffer, position: number): number {
    const end = input.indexOf(lineFeed, position)
    const limit = this.#state === 'trailers' ? this.#bounds.maxBytes : sizeLineMaxBytes
    const lineBytes = this.#line.length + (end === -1 ? input.length : end) - position
    if (lineBytes > limit) throw new ResponseSyntaxError('a chunk line is too long')
    if (end === -1) {
      this.#line += input.toString('latin1', position)
      return input.length
    }
    this.#interpret(this.#finishLine(input, position, end))
    return end + 1
  }

  #finishLine(input: Buffer, position: number, end: number): string {
    const before = end > position ? input[end - 1] : this.#line.charCodeAt(this.#line.length - 1)
    if (before !== carriageReturn) throw new ResponseSyntaxError('a line of the chunked body ends without CR')
    const line = this.#line + input.toString('latin1', position, end)
    this.#line = ''
    return line.slice(0, -1)
  }

  #interpret(line: string): void {
    if (this.#state === 'after-data') {
      if (line !== '') throw new ResponseSyntaxError('a chunk is longer than its size')
      this.#state = 'size'
    } else if (this.#state === 'trailers') this.#takeTrailer(line)
    else this.#takeSize(line)
  }

  #takeSize(line: string): void {
    const size = sizeLine.exec(line)?.[1]
    if (size === undefined) throw new ResponseSyntaxError('malformed chunk size')
    this.#remaining = Number.parseInt(size, 16)
    this.#state = this.#remaining === 0 ? 'trailers' : 'data'
  }

  #takeTrailer(line: string): void {
    if (line === '') {
      this.trailers = parseTrailers(this.#trailerLines.join('\r\n'), this.#bounds.maxCount)
      this.#state = 'done'
      return
    }
    this.#trailerBytes += line.length
    if (this.#trailerBytes > this.#bounds.maxBytes) throw new ResponseSyntaxError('the trailers are too large')
    this.#trailerLines.push(line)
  }
}
