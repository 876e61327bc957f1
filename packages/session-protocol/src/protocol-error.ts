import type { GoAwayCode } from './codes.ts'

/** The peer broke the protocol: the session ends with `code`. The only thing that decoding throws. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly code: GoAwayCode

  constructor(message: string, code: GoAwayCode = 'protocol_error') {
    super(message)
    this.code = code
  }
}
