import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'

/** Another living process uses the same state directory. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError'

  constructor(path: string, pid: number) {
    super(`another agent (process ${pid}) uses this state directory; stop it, or set another AGENT_STATE_DIR (${path})`)
  }
}

const takeoverTriesMax = 5

/**
 * Takes the lock file for this process. A lock whose process is gone, even after a power cut or `kill -9`, is taken over.
 * @throws LockHeldError when a living process has it
 */
export async function acquireProcessLock(path: string): Promise<AsyncDisposable> {
  const own = await describeProcess(process.pid)
  // Callers of one process race as well: each has files of its own.
  const draft = `${path}.${randomUUID()}.new`
  await writeFile(draft, own, { mode: 0o600 })
  try {
    for (let tries = 0; tries < takeoverTriesMax; tries += 1) {
      if (await createLink(draft, path)) return { [Symbol.asyncDispose]: () => release(path, own) }
      await removeStale(path)
    }
    throw new LockHeldError(path, Number((await readLock(path)).split(' ')[0]))
  } finally {
    await rm(draft, { force: true })
  }
}

// A link appears with its content at once, so nobody can read a lock that is half written.
async function createLink(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function removeStale(path: string): Promise<void> {
  const holder = await readLock(path)
  const pid = Number(holder.split(' ')[0])
  if (pid > 0 && holder === (await describeProcess(pid))) throw new LockHeldError(path, pid)
  const aside = `${path}.${randomUUID()}.stale`
  await rename(path, aside).catch(() => undefined)
  // Somebody else may have been quicker: what was moved is then a fresh lock and goes back.
  if ((await readLock(aside)) !== holder) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
}

async function release(path: string, own: string): Promise<void> {
  if ((await readLock(path)) === own) await rm(path, { force: true })
}

async function readLock(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}

/** Process ids are reused: boot and start time tell which process it was. */
async function describeProcess(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return isAlive(pid) ? `${pid}` : `${pid} gone`
  // The command name may hold spaces; the fields behind it do not. The first is the state, the twentieth the start time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z') return `${pid} gone`
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  return `${pid} ${boot.trim()} ${fields[19]}`
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
