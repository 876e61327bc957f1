import { addressKey } from './address.ts'

interface Block {
  readonly text: string
  readonly first: bigint
  readonly last: bigint
}

/** Boundary of a run of addresses that the same block (or none) covers. */
interface Boundary {
  readonly key: string
  readonly block: string | undefined
}

/** A set of address blocks. One look-up is a binary search, whatever mix of IPv4 and IPv6 the set holds. */
export class CidrSet {
  readonly #keys: readonly string[]
  readonly #blocks: readonly (string | undefined)[]

  /** Blocks must be valid (`isCidr`). A bare address counts as a block of one. */
  constructor(cidrs: readonly string[]) {
    const boundaries = flatten(cidrs.map(toBlock))
    this.#keys = boundaries.map(({ key }) => key)
    this.#blocks = boundaries.map(({ block }) => block)
  }

  /** The smallest block, as written, that the address is in. Undefined for none, and for text that is no address. */
  find(address: string): string | undefined {
    const key = addressKey(address)
    return key === undefined ? undefined : this.#blocks[this.#lastAtOrBefore(key)]
  }

  #lastAtOrBefore(key: string): number {
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#keys[middle] ?? '') <= key) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

export function isCidr(text: string): boolean {
  return parseCidr(text) !== undefined
}

/** Whether the address lies in the block; false when either is not well-formed. */
export function isInCidr(address: string, cidr: string): boolean {
  const range = keyRange(cidr)
  const key = addressKey(address)
  return range !== undefined && key !== undefined && range.first <= key && key <= range.last
}

/** First and last address of a block, as keys. */
interface KeyRange {
  readonly first: string
  readonly last: string
}

const rangesMax = 1000
const blockMaxChars = 49
const ranges = new Map<string, KeyRange | undefined>()

/** Rules ask about the same few blocks again and again. */
function keyRange(cidr: string): KeyRange | undefined {
  if (cidr.length > blockMaxChars) return undefined
  if (ranges.has(cidr)) return ranges.get(cidr)
  const block = parseCidr(cidr)
  const range = block && { first: keyOf(block.first), last: keyOf(block.last) }
  if (ranges.size >= rangesMax) ranges.clear()
  ranges.set(cidr, range)
  return range
}

function keyOf(value: bigint): string {
  return value.toString(16).padStart(33, '0')
}

function toBlock(text: string): Block {
  const block = parseCidr(text)
  if (!block) throw new Error(`not an address block: ${text}`)
  return block
}

/** Host bits are ignored: `10.1.2.3/8` is `10.0.0.0/8`. */
function parseCidr(text: string): Block | undefined {
  const [address = '', length, ...rest] = text.split('/')
  const key = address.includes('%') ? undefined : addressKey(address)
  if (key === undefined || rest.length > 0) return undefined
  const bits = address.includes(':') ? 128 : 32
  const prefixBits = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
  // A block of mapped addresses that is larger than all of IPv4 has no meaning.
  const isTooWide = bits === 128 && key.startsWith('1') && prefixBits < 96
  if (!(prefixBits <= bits) || isTooWide) return undefined
  const hostBits = BigInt(bits - prefixBits)
  const first = (BigInt(`0x${key}`) >> hostBits) << hostBits
  return { text, first, last: first + (1n << hostBits) - 1n }
}

// Blocks either nest or are apart, so a stack of the open ones is enough to cut the whole space into runs.
function flatten(blocks: readonly Block[]): Boundary[] {
  const runs = new Map<bigint, string | undefined>()
  const open: Block[] = []
  const closeUntil = (isDone: (top: Block) => boolean): void => {
    for (let top = open.at(-1); top && !isDone(top); top = open.at(-1)) {
      open.pop()
      runs.set(top.last + 1n, open.at(-1)?.text)
    }
  }
  for (const block of [...blocks].sort(byStartThenSize)) {
    closeUntil((top) => top.last >= block.first)
    runs.set(block.first, block.text)
    open.push(block)
  }
  closeUntil(() => false)
  return [...runs].map(([start, block]) => ({ key: keyOf(start), block })).sort(byKey)
}

function byStartThenSize(a: Block, b: Block): number {
  if (a.first !== b.first) return a.first < b.first ? -1 : 1
  return a.last === b.last ? 0 : a.last > b.last ? -1 : 1
}

function byKey(a: Boundary, b: Boundary): number {
  return a.key < b.key ? -1 : 1
}
