const FINAL_BINARY = 0x82
const MASKED = 0x80
const MASKING_KEY_BYTES = 4

/**
 * The bytes in front of a binary WebSocket message that is sent whole (RFC 6455, section 5.2). Clients have to mask; the key
 * of zeros does so without touching the payload.
 */
export function binaryMessageHeader(payloadBytes: number, side: 'client' | 'server'): Buffer {
  const maskBit = side === 'client' ? MASKED : 0
  const lengthBytes = payloadBytes < 126 ? 0 : payloadBytes < 65536 ? 2 : 8
  const header = Buffer.allocUnsafe(2 + lengthBytes + (maskBit && MASKING_KEY_BYTES))
  header[0] = FINAL_BINARY
  if (lengthBytes === 0) header[1] = maskBit | payloadBytes
  else if (lengthBytes === 2) {
    header[1] = maskBit | 126
    header.writeUInt16BE(payloadBytes, 2)
  } else {
    header[1] = maskBit | 127
    header.writeUInt32BE(0, 2)
    header.writeUInt32BE(payloadBytes, 6)
  }
  if (maskBit) header.fill(0, 2 + lengthBytes)
  return header
}
