import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { syncDirectory } from './sync-to-disk.ts'

const keyBytes = 32

/** A key that seals secrets. Its id stands beside everything that it sealed. */
export interface MasterKey {
  readonly id: string
  readonly key: Buffer
}

/**
 * The master key file: one `id base64` per line, the newest first. New secrets are sealed with the first key; older
 * keys stay until nothing is sealed with them.
 */
export class MasterKeys {
  readonly #file: string
  #keys: readonly MasterKey[]

  private constructor(file: string, keys: readonly MasterKey[]) {
    this.#file = file
    this.#keys = keys
  }

  /** Reads the file, or creates it with one fresh key that only this user can read. */
  static open(file: string): MasterKeys {
    if (!existsSync(file)) writeKeys(file, [freshKey()])
    return new MasterKeys(file, readKeys(file))
  }

  get file(): string {
    return this.#file
  }

  get current(): MasterKey {
    const [first] = this.#keys
    if (first === undefined)
      throw new Error(`The master key file ${this.#file} holds no key. Restore it from a backup.`)
    return first
  }

  /** Reads the file again for an unknown id: another process may have rotated the keys. */
  find(id: string): MasterKey | undefined {
    const known = this.#keys.find((key) => key.id === id)
    if (known !== undefined) return known
    this.#keys = readKeys(this.#file)
    return this.#keys.find((key) => key.id === id)
  }

  /** Puts a fresh key in front and keeps the one before it, with which a running process may still seal. */
  rotate(): void {
    this.#keys = [freshKey(), ...this.#keys]
    writeKeys(this.#file, this.#keys)
  }

  /** Forgets every key but the two newest. Only after everything was sealed again. */
  dropOld(): void {
    this.#keys = this.#keys.slice(0, 2)
    writeKeys(this.#file, this.#keys)
  }
}

function freshKey(): MasterKey {
  return { id: randomBytes(6).toString('hex'), key: randomBytes(keyBytes) }
}

function readKeys(file: string): MasterKey[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => parseKey(line, file))
}

function parseKey(line: string, file: string): MasterKey {
  const [id = '', encoded = ''] = line.split(' ')
  const key = Buffer.from(encoded, 'base64')
  if (id === '' || key.length !== keyBytes)
    throw new Error(
      `The master key file ${file} is damaged. Restore it from a backup; without it no secret can be read.`,
    )
  return { id, key }
}

/** Replaces the file in one step: a crash leaves the old keys or the new ones, never half a file. */
function writeKeys(file: string, keys: readonly MasterKey[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.new`
  const descriptor = openSync(draft, 'w', 0o600)
  writeSync(descriptor, keys.map(({ id, key }) => `${id} ${key.toString('base64')}\n`).join(''))
  fsyncSync(descriptor)
  closeSync(descriptor)
  chmodSync(draft, 0o600)
  renameSync(draft, file)
  syncDirectory(dirname(file))
}
