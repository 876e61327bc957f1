import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** A visitor that sends bytes as they are. */
export class RawVisitor implements Disposable {
  readonly socket: Socket
  #text = ''
  #isClosed = false
  readonly #watchers = new Set<() => void>()

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk) => {
      this.#text += chunk.toString('latin1')
      this.#notify()
    })
    socket.on('error', () => undefined)
    for (const event of ['end', 'close'])
      socket.on(event, () => {
        this.#isClosed = true
        this.#notify()
      })
  }

  static async connect(port: number): Promise<RawVisitor> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    await once(socket, 'connect')
    return new RawVisitor(socket)
  }

  /** Without a check of the certificate: tests look at it themselves. */
  static async connectTls(port: number, servername = '', alpn = ['http/1.1']): Promise<RawVisitor> {
    const socket = connectTls({ port, host: '127.0.0.1', servername, rejectUnauthorized: false, ALPNProtocols: alpn })
    await once(socket, 'secureConnect')
    return new RawVisitor(socket)
  }

  get text(): string {
    return this.#text
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  send(text: string): void {
    this.socket.write(text, 'latin1')
  }

  /** Resolves with everything received once it matches, or once the connection is closed. */
  async until(isEnough: (text: string) => boolean): Promise<string> {
    while (!isEnough(this.#text) && !this.#isClosed) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#watchers.add(resolve)
      await promise
      this.#watchers.delete(resolve)
    }
    return this.#text
  }

  /** Everything received, once the edge has sent its last byte. */
  closed(): Promise<string> {
    return this.until(() => false)
  }

  #notify(): void {
    for (const watcher of this.#watchers) watcher()
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}
