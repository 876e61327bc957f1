import type { RunningProcess } from '../running-process.ts'

const READY_LIMIT_MS = 30_000

/** Waits for the line `ready` of our programs and reads the `listening NAME URL` lines before it. */
export async function announcedListeners(running: RunningProcess): Promise<ReadonlyMap<string, URL>> {
  await running.waitForOutput(/^ready$/m, READY_LIMIT_MS)
  const lines = running.output().matchAll(/^listening (\S+) (\S+)$/gm)
  return new Map([...lines].map(([, name = '', url = '']) => [name, new URL(url)]))
}

/** The URL of one listener; throws when the program did not announce it. */
export function listenerUrl(listeners: ReadonlyMap<string, URL>, name: string): URL {
  const url = listeners.get(name)
  if (!url) throw new Error(`no listener ${name} was announced, only ${[...listeners.keys()].join(', ')}`)
  return url
}
