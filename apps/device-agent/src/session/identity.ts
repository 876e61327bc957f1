import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Adapter } from 'lowdb'

/** Who this installation is, as kept between sessions. */
export interface Identity {
  readonly version: 1
  readonly installId: string
  /** Hash of what identifies the machine; null where nothing does. */
  readonly machine: string | null
  /** With these a returning agent gets its names back. */
  readonly resume: { readonly clientId: string; readonly cookie: string } | null
  /** Where the service's free names are. */
  readonly zone: string | null
}

/** Reads the identity, makes a new one at the first start, and another one when the disk was copied to another machine. */
export class IdentityKeeper {
  readonly #file: Adapter<Identity>
  #identity: Identity
  #saved: Promise<void> = Promise.resolve()
  /** Whether this start found the identity of another machine. */
  readonly isClone: boolean

  private constructor(file: Adapter<Identity>, identity: Identity, isClone: boolean) {
    this.#file = file
    this.#identity = identity
    this.isClone = isClone
  }

  static async open(file: Adapter<Identity>, machine: string | null): Promise<IdentityKeeper> {
    const stored = await file.read()
    const isClone = stored !== null && stored.machine !== null && machine !== null && stored.machine !== machine
    const identity = stored === null || isClone ? newIdentity(machine) : { ...stored, machine }
    const keeper = new IdentityKeeper(file, identity, isClone)
    await keeper.#save()
    return keeper
  }

  get current(): Identity {
    return this.#identity
  }

  /** Settles when nothing waits to be written. */
  async idle(): Promise<void> {
    await this.#saved
  }

  async remember(welcome: { clientId: string; cookie: string; zone: string }): Promise<void> {
    const { clientId, cookie, zone } = welcome
    this.#identity = { ...this.#identity, resume: { clientId, cookie }, zone }
    await this.#save()
  }

  /** Another device uses our identity: the next hello asks for a new one. */
  async forgetResume(): Promise<void> {
    this.#identity = { ...this.#identity, installId: randomUUID(), resume: null }
    await this.#save()
  }

  // A disk that refuses must not keep the device offline: this run goes on with what is in memory.
  #save(): Promise<void> {
    this.#saved = this.#file.write(this.#identity).catch(() => undefined)
    return this.#saved
  }
}

export function parseIdentity(json: unknown): Identity {
  const { version, installId, machine = null, resume = null, zone = null } = json as Partial<Identity>
  const isResumeUsable = resume === null || (typeof resume.clientId === 'string' && typeof resume.cookie === 'string')
  if (version !== 1 || typeof installId !== 'string' || !isResumeUsable) throw new Error('not an identity')
  return { version, installId, machine, resume, zone }
}

/** What a copied disk does not take along: the board's serial number, and the machine id where an image has made a new one. */
export async function readMachineFingerprint(): Promise<string | null> {
  const places = ['/sys/firmware/devicetree/base/serial-number', '/etc/machine-id']
  const parts = await Promise.all(places.map((place) => readFile(place, 'utf8').catch(() => '')))
  const text = parts.map((part) => part.replace(/\0/g, '').trim()).join(' ')
  return text.trim() === '' ? null : createHash('sha256').update(text).digest('hex')
}

/** Changes with every start of the device. */
export async function readBootId(fallback: string): Promise<string> {
  return readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (text) => text.trim(),
    () => fallback,
  )
}

function newIdentity(machine: string | null): Identity {
  return { version: 1, installId: randomUUID(), machine, resume: null, zone: null }
}
