import type { BenchRow } from '../row.ts'
import { lookup } from './lookup.ts'
import { requests } from './requests.ts'
import { routingChanges } from './routing-changes.ts'
import { tcpBulk } from './tcp-bulk.ts'

/** Edges: finding the route, the whole way through one, bytes through a port, and changes while visitors call. */
export const rows: readonly BenchRow[] = [lookup, requests, tcpBulk, routingChanges]
