import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rows as agentRows } from './agent/rows.ts'
import { rows as apiRows } from './api/rows.ts'
import { rows as dashboardRows } from './dashboard/rows.ts'
import { rows as dnsRows } from './dns/rows.ts'
import { rows as edgeRows } from './edge/rows.ts'
import { describeMachine } from './machine.ts'
import { type BenchOptions, readOptions } from './options.ts'
import { type Report, type ReportRow, isComplete, toMarkdown } from './report.ts'
import type { BenchRow } from './row.ts'
import { rows as policyRows } from './policy/rows.ts'
import { rows as sessionRows } from './session/rows.ts'
import { rows as sshRows } from './ssh/rows.ts'

const allRows: readonly BenchRow[] = [
  ...sessionRows,
  ...agentRows,
  ...policyRows,
  ...edgeRows,
  ...sshRows,
  ...apiRows,
  ...dashboardRows,
  ...dnsRows,
]
const resultsDir = join(import.meta.dirname, 'results')

async function runBench(options: BenchOptions): Promise<Report> {
  const measured: ReportRow[] = []
  for (const row of selectRows(options.only)) measured.push(await measureRow(row, options))
  const { rounds, seconds } = options
  return { takenAt: new Date().toISOString(), machine: await describeMachine(), rounds, seconds, rows: measured }
}

/** A row that fails is shown as failed and does not stop the others. */
async function measureRow(row: BenchRow, options: BenchOptions): Promise<ReportRow> {
  options.note(row.name)
  try {
    return { name: row.name, ...(await row.measure(options)) }
  } catch (error) {
    options.note(`  failed: ${error instanceof Error ? error.stack : String(error)}`)
    const [failure = ''] = String(error instanceof Error ? error.message : error).split('\n')
    return { name: row.name, goals: [], failure }
  }
}

function selectRows(only: readonly string[]): readonly BenchRow[] {
  const selected = only.length === 0 ? allRows : allRows.filter((row) => only.some((name) => row.name.startsWith(name)))
  if (selected.length === 0) throw new Error(`No such row. There are: ${allRows.map((row) => row.name).join(', ')}`)
  return selected
}

/** Only a whole, thorough run replaces the committed table. */
async function writeReport(report: Report, options: BenchOptions): Promise<void> {
  const name = options.only.length === 0 && !options.isQuick ? 'latest' : 'partial'
  await mkdir(resultsDir, { recursive: true })
  await writeFile(join(resultsDir, `${name}.md`), toMarkdown(report))
  await writeFile(join(resultsDir, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`)
}

const options = readOptions(process.argv.slice(2), (line) => console.error(line))
const report = await runBench(options)
await writeReport(report, options)
console.log(toMarkdown(report))
process.exitCode = isComplete(report) ? 0 : 1
