/** One measurement that `npm run bench` knows. Areas export theirs as `rows` from `bench/AREA/rows.ts`. */
export interface BenchRow {
  /** Selects the row, as in `--only session-small-get`. Begins with the name of its area. */
  readonly name: string
  measure(run: BenchRun): Promise<Measurement>
}

/** How thoroughly to measure. */
export interface BenchRun {
  /** Interleaved repetitions; figures are medians over them. */
  readonly rounds: number
  /** Length of one load run. */
  readonly seconds: number
  /** Smaller bodies and fewer sessions, to see that a row works. Its figures mean little. */
  readonly isQuick: boolean
  /** Shows progress. */
  note(line: string): void
}

export interface Measurement {
  readonly goals: readonly Goal[]
  /** The figures behind the goals. */
  readonly sheets?: readonly Sheet[]
}

/** A figure of ours and what it must reach. */
export interface Goal {
  readonly what: string
  readonly value: number
  /** `×`, `ms`, `MB/s`, `KB`, `%`, … */
  readonly unit: string
  readonly better: 'higher' | 'lower'
  /** At least (or, where lower is better, at most) this; without it the figure is for information. */
  readonly required?: number
  readonly aim?: number
}

/** A plain table. The first column names the line. */
export interface Sheet {
  readonly title: string
  readonly columns: readonly string[]
  readonly lines: readonly (readonly (string | number)[])[]
}
