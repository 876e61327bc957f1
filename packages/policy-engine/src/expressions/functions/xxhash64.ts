const prime1 = 0x9e3779b185ebca87n
const prime2 = 0xc2b2ae3d27d4eb4fn
const prime3 = 0x165667b19e3779f9n
const prime4 = 0x85ebca77c2b2ae63n
const prime5 = 0x27d4eb2f165667c5n

const wrap = (value: bigint): bigint => BigInt.asUintN(64, value)
const rotate = (value: bigint, bits: bigint): bigint => wrap((value << bits) | (value >> (64n - bits)))
const round = (lane: bigint, input: bigint): bigint => wrap(rotate(wrap(lane + input * prime2), 31n) * prime1)

/** XXH64 with seed 0, most significant byte first. */
export function xxhash64(bytes: Buffer): Buffer {
  const stripes = bytes.length - (bytes.length % 32)
  const start = stripes > 0 ? digestStripes(bytes, stripes) : prime5
  const digest = Buffer.alloc(8)
  digest.writeBigUInt64BE(avalanche(digestTail(wrap(start + BigInt(bytes.length)), bytes, stripes)))
  return digest
}

function digestStripes(bytes: Buffer, end: number): bigint {
  let lanes = [wrap(prime1 + prime2), prime2, 0n, wrap(-prime1)]
  for (let offset = 0; offset < end; offset += 32) {
    lanes = lanes.map((lane, index) => round(lane, bytes.readBigUInt64LE(offset + 8 * index)))
  }
  const turns = [1n, 7n, 12n, 18n]
  const merged = lanes.reduce((sum, lane, index) => sum + rotate(lane, turns[index] ?? 0n), 0n)
  return lanes.reduce((hash, lane) => wrap((hash ^ round(0n, lane)) * prime1 + prime4), wrap(merged))
}

function digestTail(start: bigint, bytes: Buffer, from: number): bigint {
  let hash = start
  let offset = from
  for (; offset + 8 <= bytes.length; offset += 8)
    hash = wrap(rotate(hash ^ round(0n, bytes.readBigUInt64LE(offset)), 27n) * prime1 + prime4)
  if (offset + 4 <= bytes.length) {
    hash = wrap(rotate(hash ^ wrap(BigInt(bytes.readUInt32LE(offset)) * prime1), 23n) * prime2 + prime3)
    offset += 4
  }
  for (; offset < bytes.length; offset++)
    hash = wrap(rotate(hash ^ wrap(BigInt(bytes.readUInt8(offset)) * prime5), 11n) * prime1)
  return hash
}

function avalanche(hash: bigint): bigint {
  const second = wrap((hash ^ (hash >> 33n)) * prime2)
  const third = wrap((second ^ (second >> 29n)) * prime3)
  return third ^ (third >> 32n)
}
