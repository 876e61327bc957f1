import { join } from 'node:path'
import type { AgentMetrics } from './agent-metrics.ts'
import type { Logger } from './cli/logger.ts'
import { DurableFile } from './store/durable-file.ts'
import { RecordStore } from './store/record-store.ts'
import { parseTunnelEnvelope, type TunnelRecord } from './tunnels/tunnel-record.ts'

export interface AgentStore {
  readonly records: readonly TunnelRecord[]
  change(edit: (records: readonly TunnelRecord[]) => readonly TunnelRecord[]): Promise<void>
  /** What is wrong with the disk, until a change is stored again. */
  readonly problem: string | null
}

/** The tunnel records of a state directory, with damage and refusals in the log and in numbers. */
export async function openAgentStore(stateDir: string, log: Logger, metrics: AgentMetrics): Promise<AgentStore> {
  let problem: string | null = null
  const onDamage = (found: string): void => {
    problem = found
    log.error({ problem: found }, 'tunnel store damaged')
  }
  const file = new DurableFile({ path: join(stateDir, 'tunnels.json'), parse: parseTunnelEnvelope, onDamage })
  const store = await RecordStore.open<TunnelRecord>(file)
  return {
    get records() {
      return store.records
    },
    get problem() {
      return problem
    },
    async change(edit) {
      try {
        await store.change(edit)
        problem = null
      } catch (error) {
        metrics.storeFailures.inc()
        problem = (error as Error).message
        throw error
      }
    },
  }
}
