import { execFile } from 'node:child_process'
import type { SupervisorFacts } from '../config.ts'

/** What a service manager wants to hear: systemd's notification protocol, spoken through its own program. */
export interface Supervisor extends Disposable {
  ready(): void
}

const notifyTimeoutMs = 5000

/** A sign of life is sent from the event loop, so one that stands still is noticed. */
export function reportTo({ wantsNotice, watchdogMs }: SupervisorFacts): Supervisor {
  let timer: NodeJS.Timeout | undefined
  return {
    ready() {
      if (!wantsNotice) return
      notify('READY=1')
      if (watchdogMs !== null) timer = setInterval(() => notify('WATCHDOG=1'), watchdogMs / 2)
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      if (wantsNotice) notify('STOPPING=1')
    },
  }
}

// Node has no datagram sockets of the local kind. A failure shows as the manager's time-out.
function notify(message: string): void {
  execFile('systemd-notify', [`--pid=${process.pid}`, message], { timeout: notifyTimeoutMs }, () => undefined)
}
