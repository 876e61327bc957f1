import { processTree, processUsage } from '@tunnel/testkit'

/** A way from a visitor to the origin, running and ready for load. */
export interface Contender {
  readonly name: string
  /** Port of loopback that visitors connect to. */
  readonly port: number
  /** The Host header that visitors send. */
  readonly host: string
  /** Processes that carry the traffic, without visitor and origin. Their children count as well. */
  readonly processes: readonly number[]
}

/** Processor seconds that a contender has used since it started, in all its processes. */
export function cpuSeconds(contender: Contender): number {
  return processUsage(processTree(contender.processes)).cpuSeconds
}

/** Memory of all its processes, shared pages counted once. */
export function memoryMegabytes(contender: Contender): number {
  return processUsage(processTree(contender.processes)).pssBytes / 1e6
}
