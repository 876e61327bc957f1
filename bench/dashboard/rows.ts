import type { BenchRow } from '../row.ts'
import { crowdedDashboard } from './crowded-dashboard.ts'

/** What people who look at a large fleet wait for, and what their looking costs the service. */
export const rows: readonly BenchRow[] = [crowdedDashboard]
