import { networkInterfaces } from 'node:os'

export interface SurroundingsListener {
  /** The device has other addresses than before. */
  onNetworkChange(addresses: ReadonlySet<string>): void
  /** The wall clock has jumped against the monotonic one: time was set. */
  onClockStep(stepMs: number): void
}

const lookEveryMs = 2000
const clockStepMinMs = 2000

/** Watches the device for what makes waiting pointless: a new network, a clock that was set. */
export function watchSurroundings(listener: SurroundingsListener): Disposable {
  let addresses = ownAddresses()
  let offsetMs = clockOffset()
  const timer = setInterval(() => {
    const nowAddresses = ownAddresses()
    const stepMs = clockOffset() - offsetMs
    if (!isSame(nowAddresses, addresses)) listener.onNetworkChange(nowAddresses)
    if (Math.abs(stepMs) >= clockStepMinMs) listener.onClockStep(stepMs)
    addresses = nowAddresses
    offsetMs += stepMs
  }, lookEveryMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function clockOffset(): number {
  return Date.now() - performance.now()
}

function ownAddresses(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)))
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((address) => b.has(address))
}
