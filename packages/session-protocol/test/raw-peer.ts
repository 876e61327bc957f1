import { FrameWriter } from '../src/frames/frame-writer.ts'
import {
  type AgentMessage,
  defaultLimits,
  Heartbeats,
  type ServiceSideSession,
  type SessionLimits,
  startServiceSession,
} from '../src/index.ts'
import { type MemoryTransport, memoryPair } from './memory-transport.ts'
import { Recorder } from './session-pair.ts'

/** A service's session whose peer is the test: it writes frames by hand, as a broken or hostile agent would. */
export class RawPeer {
  readonly session: ServiceSideSession
  readonly onSession = new Recorder<AgentMessage>()
  readonly received: Buffer[] = []
  closeCode: number | null = null
  readonly #theirs: MemoryTransport
  readonly #transport: MemoryTransport
  readonly #writer: FrameWriter

  constructor(limits: Partial<SessionLimits> = {}) {
    const [own, theirs] = memoryPair()
    this.#transport = own
    this.#theirs = theirs
    this.#writer = new FrameWriter(own)
    own.start({
      onBytes: () => {},
      onMessage: (message) => void this.received.push(message),
      onDrain: () => {},
      onClose: ({ code }) => (this.closeCode = code),
    })
    this.session = startServiceSession(theirs, this.onSession, {
      limits: { ...defaultLimits, ...limits },
      heartbeats: new Heartbeats(),
      nowMs: () => performance.now(),
    })
  }

  /** Writes frames as one message. */
  async send(write: (writer: FrameWriter) => void): Promise<void> {
    write(this.#writer)
    this.#writer.flush()
    await this.#turn()
  }

  async sendBytes(message: Buffer): Promise<void> {
    this.#transport.send([message])
    await this.#turn()
  }

  /** What the session sends stays in its transport from now on. */
  stopReading(): void {
    this.#theirs.isBlocked = true
  }

  /** Lets what was sent arrive and be answered. */
  async #turn(): Promise<void> {
    for (let n = 0; n < 6; n++) await new Promise((resolve) => setImmediate(resolve))
  }
}
