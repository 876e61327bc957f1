/** Of every byte, the halves of its remainder by the reflected ISO 3309 polynomial, whose low half is zero. */
const table = { high: new Int32Array(256), low: new Int32Array(256) }
for (let byte = 0; byte < 256; byte++) {
  let [high, low] = [0, byte]
  for (let bit = 0; bit < 8; bit++) {
    const isOdd = (low & 1) === 1
    low = (low >>> 1) | (high << 31)
    high = (high >>> 1) ^ (isOdd ? 0xd8000000 : 0)
  }
  table.high[byte] = high
  table.low[byte] = low
}

/** The 64-bit cyclic redundancy check of ISO 3309, most significant byte first. */
export function crc64(bytes: Uint8Array): Buffer {
  let [high, low] = [~0, ~0]
  for (const byte of bytes) {
    const index = (low ^ byte) & 0xff
    low = ((low >>> 8) | (high << 24)) ^ (table.low[index] ?? 0)
    high = (high >>> 8) ^ (table.high[index] ?? 0)
  }
  const checksum = Buffer.alloc(8)
  checksum.writeInt32BE(~high, 0)
  checksum.writeInt32BE(~low, 4)
  return checksum
}
