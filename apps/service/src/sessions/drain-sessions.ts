import type { AgentSession } from './agent-session.ts'

const SPREAD_PER_SESSION_MS = 10
const SPREAD_MIN_MS = 500
const SPREAD_MAX_MS = 30_000
const CHECK_EVERY_MS = 50

/**
 * Sends agents away. Each gets another time to come back, so that they do not arrive together. Resolves when all are gone;
 * those that still have streams at the deadline are cut.
 */
export async function drainSessions(sessions: readonly AgentSession[], deadlineMs: number): Promise<void> {
  const spreadMs = Math.min(Math.max(sessions.length * SPREAD_PER_SESSION_MS, SPREAD_MIN_MS), SPREAD_MAX_MS)
  const hintMs = (index: number) => Math.round(((index + 1) / sessions.length) * spreadMs)
  for (const [index, session] of sessions.entries()) session.streams.leave(hintMs(index), 'the service is restarting')
  await allClosed(sessions, deadlineMs)
  for (const [index, session] of sessions.entries()) {
    session.streams.close({ code: 'shutdown', retryAfterMs: hintMs(index), message: 'the service is restarting' })
  }
}

function allClosed(sessions: readonly AgentSession[], deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const isDone = () => sessions.every((session) => session.isClosed)
    if (isDone() || deadlineMs <= 0) return resolve()
    const finish = (): void => {
      clearInterval(watch)
      clearTimeout(deadline)
      resolve()
    }
    const watch = setInterval(() => isDone() && finish(), CHECK_EVERY_MS)
    const deadline = setTimeout(finish, deadlineMs)
  })
}
