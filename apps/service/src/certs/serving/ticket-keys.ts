import { hkdfSync, randomBytes } from 'node:crypto'

/** A value of the store that all processes share; `write` returns false when somebody else was faster. */
interface SharedValues {
  read(name: string): Promise<{ readonly value: string; readonly revision: number } | null>
  write(name: string, value: string, revision: number | null): Promise<boolean>
}

export interface TicketKeysOptions {
  readonly values: SharedValues
  readonly nowMs: () => number
  readonly onFailure: (error: unknown) => void
}

const valueName = 'tls-ticket-keys'
const keysBytes = 48
/** Who steals the keys of one period cannot open sessions (TLS 1.2) of another: older keys are kept nowhere. */
const periodMs = 12 * 3_600_000
const lookEveryMs = 60_000

/**
 * The keys that TLS session tickets are sealed with, the same at all processes that share the store. They change with the
 * clock; a ticket of the period before costs its owner a full handshake, and nothing else.
 */
export class TicketKeys implements Disposable {
  readonly #options: TicketKeysOptions
  readonly #timer: NodeJS.Timeout
  readonly #listeners = new Set<() => void>()
  #period: number
  #keys: Buffer

  private constructor(options: TicketKeysOptions, { period, keys }: StoredKeys) {
    this.#options = options
    this.#period = period
    this.#keys = keys
    this.#timer = setInterval(() => void this.rotate().catch(options.onFailure), lookEveryMs)
  }

  static async start(options: TicketKeysOptions): Promise<TicketKeys> {
    return new TicketKeys(options, await keysOfPeriod(options.values, periodAt(options.nowMs())))
  }

  /** The keys of a purpose: who has them can open nothing else. */
  keysFor(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#keys, '', purpose, keysBytes))
  }

  /** Calls back when a new period has begun. */
  onRotated(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Takes the keys of the period that it is now; happens by itself every minute. */
  async rotate(): Promise<void> {
    const period = periodAt(this.#options.nowMs())
    if (period <= this.#period) return
    const stored = await keysOfPeriod(this.#options.values, period)
    this.#period = stored.period
    this.#keys = stored.keys
    for (const listener of this.#listeners) listener()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

interface StoredKeys {
  readonly period: number
  readonly keys: Buffer
}

function periodAt(nowMs: number): number {
  return Math.floor(nowMs / periodMs)
}

/** Whoever comes first in a period makes its keys, over those of the last one. A clock behind takes what it finds. */
async function keysOfPeriod(values: SharedValues, period: number): Promise<StoredKeys> {
  const found = await values.read(valueName)
  const stored = found && parse(found.value)
  if (stored && stored.period >= period) return stored
  const made = { period, keys: randomBytes(keysBytes) }
  const isMine = await values.write(valueName, `${period} ${made.keys.toString('base64')}`, found?.revision ?? null)
  return isMine ? made : keysOfPeriod(values, period)
}

function parse(value: string): StoredKeys | null {
  const [period, keys] = value.split(' ')
  return keys === undefined ? null : { period: Number(period), keys: Buffer.from(keys, 'base64') }
}
