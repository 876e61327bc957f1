import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type RunningProcess, freePort, processTree, runProcess, startProcess, tempDir } from '@tunnel/testkit'
import { eventually } from './eventually.ts'

const startLimitMs = 30_000

/** The newest PostgreSQL of the system; null without one, or without the rights to run it as its own user. */
const programs = process.getuid?.() === 0 ? newestPrograms() : null

export const hasPostgres = programs !== null

/** A PostgreSQL of its own, which syncs every commit to disk as in production. */
export interface PostgresCluster extends AsyncDisposable {
  readonly url: string
  /** Ends the server and all its processes at once, with SIGKILL, and resolves when they are gone. */
  kill(): Promise<void>
  /** Starts it again; resolves when it has recovered and takes connections. */
  start(): Promise<void>
  /** The first column of what the query finds. */
  query(statement: string): Promise<string[]>
}

export async function startPostgresCluster(): Promise<PostgresCluster> {
  const dir = await tempDir()
  const port = await freePort()
  const data = join(dir.path, 'data')
  await chown(dir.path, userNumber('-u'), userNumber('-g'))
  const initdb = ['initdb', `--pgdata=${data}`, '--auth=trust', '--encoding=UTF8', '--no-sync'] as const
  await runProcess(...asPostgres(...initdb), { cwd: '/' })
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${dir.path}`, 'fsync=on']
  const serve = ['postgres', '-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])] as const
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server: RunningProcess | undefined
  const start = async (): Promise<void> => {
    server = await startProcess(...asPostgres(...serve), { cwd: '/' })
    await server.waitForOutput(/ready to accept connections/, startLimitMs)
  }
  const kill = async (): Promise<void> => {
    if (server === undefined) return
    for (const pid of processTree([server.pid])) killNow(pid)
    await server.exited
  }
  await start()
  return {
    url,
    kill,
    // A process that is still on its way out keeps the next server from the shared memory.
    start: () => eventually(start, startLimitMs),
    query: async (statement) => {
      const rows = await runProcess('psql', ['--no-psqlrc', '--tuples-only', '--no-align', url, '-c', statement])
      return rows.split('\n').filter((row) => row !== '')
    },
    [Symbol.asyncDispose]: async () => {
      await kill()
      await dir[Symbol.asyncDispose]()
    },
  }
}

function newestPrograms(): string | null {
  const [newest] = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted(
    (a, b) => Number(b.split('/')[4]) - Number(a.split('/')[4]),
  )
  return newest === undefined ? null : dirname(newest)
}

/** The server refuses to run as root. */
function asPostgres(program: string, ...args: readonly string[]): [command: string, args: string[]] {
  const user = ['--reuid=postgres', '--regid=postgres', '--init-groups']
  return ['setpriv', [...user, join(programs ?? '', program), ...args]]
}

function userNumber(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself in the meantime.
  }
}
