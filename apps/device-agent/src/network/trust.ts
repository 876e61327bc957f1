import { readFile } from 'node:fs/promises'
import * as tls from 'node:tls'

/** The file of extra root certificates cannot be used. */
export class CaFileError extends Error {
  override readonly name = 'CaFileError'
}

/** The roots that certificates are checked against: those of the runtime, and the ones in a file of the operator's. */
export class Trust {
  readonly #caFile: string | null
  #pem = ''
  #context: tls.SecureContext | undefined

  constructor(caFile: string | null) {
    this.#caFile = caFile
  }

  /** Undefined: the runtime's own roots. The file is read again each time, and the costly part redone when it has changed. */
  async secureContext(): Promise<tls.SecureContext | undefined> {
    if (this.#caFile === null) return undefined
    const pem = await this.#read(this.#caFile)
    if (pem !== this.#pem) {
      this.#context = createContext(pem)
      this.#pem = pem
    }
    return this.#context
  }

  async #read(path: string): Promise<string> {
    try {
      return await readFile(path, 'utf8')
    } catch (error) {
      throw new CaFileError(`the CA file cannot be read: ${(error as NodeJS.ErrnoException).code}`)
    }
  }
}

function createContext(pem: string): tls.SecureContext {
  try {
    return tls.createSecureContext({ ca: [...defaultRoots(tls), pem] })
  } catch (error) {
    throw new CaFileError('the CA file holds no usable certificates', { cause: error })
  }
}

// Node 20 cannot tell which roots it uses by default; they are the bundled ones unless a command line says otherwise.
type TlsOfAnyNode = Omit<typeof tls, 'getCACertificates'> & Partial<Pick<typeof tls, 'getCACertificates'>>

function defaultRoots({ getCACertificates, rootCertificates }: TlsOfAnyNode): readonly string[] {
  return getCACertificates?.('default') ?? rootCertificates
}
