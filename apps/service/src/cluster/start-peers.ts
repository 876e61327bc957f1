import { noPeers, type Peers } from './peers.ts'
import { PostgresPeers } from './postgres-peers.ts'

/** Processes on one PostgreSQL find each other there; one on SQLite is alone. */
export function startPeers(databaseUrl: string | null, onProblem: (error: unknown) => void): Peers {
  return databaseUrl === null ? noPeers() : new PostgresPeers({ url: databaseUrl, onProblem })
}
