import type { Goal, Measurement, Sheet } from './row.ts'

export interface Report {
  readonly takenAt: string
  readonly machine: string
  readonly rounds: number
  readonly seconds: number
  readonly rows: readonly ReportRow[]
}

export interface ReportRow extends Measurement {
  readonly name: string
  /** Why there are no figures. */
  readonly failure?: string
}

/** The report as a document: first every goal in one table, then the figures behind them. */
export function toMarkdown(report: Report): string {
  const goals = report.rows.flatMap((row) => row.goals)
  const sheets = report.rows.flatMap((row) => row.sheets ?? [])
  return [
    '# Benchmark',
    `Taken ${report.takenAt.slice(0, 10)}: ${report.machine}. Medians of ${report.rounds} interleaved rounds, ${report.seconds} s of load each.`,
    goalTable(goals),
    ...report.rows.flatMap(({ name, failure }) => (failure === undefined ? [] : [`**${name} failed:** ${failure}`])),
    ...sheets.map(sheetSection),
    '',
  ].join('\n\n')
}

function goalTable(goals: readonly Goal[]): string {
  const lines = goals.map((goal) => [
    goal.what,
    show(goal.value, goal.unit),
    limit(goal, goal.required),
    limit(goal, goal.aim),
    verdict(goal),
  ])
  return table(['What', 'Measured', 'Required', 'Aim', 'Verdict'], lines)
}

function sheetSection(sheet: Sheet): string {
  const lines = sheet.lines.map((line) => line.map((cell) => (typeof cell === 'number' ? rounded(cell) : cell)))
  return `## ${sheet.title}\n\n${table(sheet.columns, lines)}`
}

function table(columns: readonly string[], lines: readonly (readonly string[])[]): string {
  const rule = columns.map((_, index) => (index === 0 ? '---' : '---:'))
  return [columns, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function limit(goal: Goal, value: number | undefined): string {
  return value === undefined ? '' : `${goal.better === 'higher' ? '≥' : '≤'} ${show(value, goal.unit)}`
}

function verdict(goal: Goal): string {
  if (goal.required === undefined) return ''
  if (!reaches(goal, goal.required)) return '**missed**'
  return goal.aim !== undefined && reaches(goal, goal.aim) ? 'aim reached' : 'reached'
}

/** Whether every row worked and every required figure was reached. */
export function isComplete(report: Report): boolean {
  return report.rows.every(
    (row) =>
      row.failure === undefined &&
      row.goals.every((goal) => goal.required === undefined || reaches(goal, goal.required)),
  )
}

/** Whether a goal's figure is at least as good as `mark`. */
function reaches(goal: Goal, mark: number): boolean {
  return goal.better === 'higher' ? goal.value >= mark : goal.value <= mark
}

function show(value: number, unit: string): string {
  return `${rounded(value)} ${unit}`
}

/** Three significant digits, whole numbers from 100 on. */
function rounded(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}
