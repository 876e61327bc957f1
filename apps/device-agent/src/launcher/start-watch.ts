import { Worker } from 'node:worker_threads'

// Runs in a thread of its own, so that it also sees an event loop that stands still.
const watcher = `
  const { workerData } = require('node:worker_threads')
  const { beats, startLimitMs } = workerData
  const cells = new Int32Array(beats)
  let seen = -1
  let lifeAt = performance.now()
  setInterval(() => {
    const isReady = Atomics.load(cells, 1) === 1
    const beat = Atomics.load(cells, 0)
    if (isReady && beat !== seen) lifeAt = performance.now()
    seen = beat
    if (performance.now() - lifeAt > startLimitMs) process.kill(process.pid, 'SIGKILL')
  }, Math.min(1000, startLimitMs / 4))
`

const beatMs = 500

/** Kills this process when a version on trial is not ready in time, or stands still afterwards. */
export function watchStart({ startLimitMs, stableMs }: { startLimitMs: number; stableMs: number }): {
  onReady: () => void
} {
  const beats = new SharedArrayBuffer(8)
  const cells = new Int32Array(beats)
  const worker = new Worker(watcher, { eval: true, workerData: { beats, startLimitMs } })
  worker.unref()
  const timer = setInterval(() => Atomics.add(cells, 0, 1), beatMs).unref()
  return {
    onReady() {
      Atomics.store(cells, 1, 1)
      setTimeout(() => {
        clearInterval(timer)
        void worker.terminate()
      }, 2 * stableMs).unref()
    },
  }
}
