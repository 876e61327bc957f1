import { readFileSync, readdirSync } from 'node:fs'

const CLOCK_TICKS_PER_SECOND = 100

/** What a set of processes has used so far, as Linux counts it. */
export interface ProcessUsage {
  readonly cpuSeconds: number
  readonly rssBytes: number
  /** Like RSS, but pages shared between processes are split among them, so a sum counts each once. */
  readonly pssBytes: number
}

/** The given processes and everything below them that is alive now. */
export function processTree(roots: readonly number[]): number[] {
  const children = Map.groupBy(allProcesses(), ({ parent }) => parent)
  const collect = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap((child) => collect(child.pid))]
  return [...new Set(roots.flatMap(collect))]
}

/** Sum over all given processes; one that has ended counts nothing. */
export function processUsage(pids: readonly number[]): ProcessUsage {
  const each = pids.map((pid) => ({ ...memoryOf(pid), cpuSeconds: cpuSecondsOf(pid) }))
  return {
    cpuSeconds: sum(each.map((usage) => usage.cpuSeconds)),
    rssBytes: sum(each.map((usage) => usage.rssBytes)),
    pssBytes: sum(each.map((usage) => usage.pssBytes)),
  }
}

function allProcesses(): { pid: number; parent: number }[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((name) => {
    const fields = statFields(Number(name))
    return fields ? [{ pid: Number(name), parent: Number(fields[1]) }] : []
  })
}

function cpuSecondsOf(pid: number): number {
  const fields = statFields(pid)
  return fields ? (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND : 0
}

/** The fields of /proc/PID/stat after the program name, which may itself hold blanks and brackets. */
function statFields(pid: number): string[] | undefined {
  const line = readProc(pid, 'stat')
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')
}

function memoryOf(pid: number): { rssBytes: number; pssBytes: number } {
  const text = readProc(pid, 'smaps_rollup') ?? ''
  return { rssBytes: kilobytes(text, 'Rss') * 1024, pssBytes: kilobytes(text, 'Pss') * 1024 }
}

function kilobytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined // it ended meanwhile
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
