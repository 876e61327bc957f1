import type { Contender } from '../contenders/contender.ts'
import { median } from '../load/statistics.ts'

type Figures = Readonly<Record<string, number>>

/** What was measured for each contender, medians over the rounds. */
export class Comparison<S extends Figures> {
  readonly #samples: ReadonlyMap<Contender, readonly S[]>

  constructor(samples: ReadonlyMap<Contender, readonly S[]>) {
    this.#samples = samples
  }

  of(contender: Contender): S {
    const samples = this.#samples.get(contender)
    if (!samples?.[0]) throw new Error(`${contender.name} was not measured`)
    const names = Object.keys(samples[0])
    return Object.fromEntries(names.map((name) => [name, median(samples.map((sample) => sample[name] ?? NaN))])) as S
  }

  /** One line per contender, in the order in which they were given. */
  lines<L>(toLine: (contender: Contender, figures: S) => L): L[] {
    return [...this.#samples.keys()].map((contender) => toLine(contender, this.of(contender)))
  }
}

/** Measures every contender once per round, so that a noisy minute hits all of them alike. */
export async function interleave<C extends Contender, S extends Figures>(
  contenders: readonly C[],
  rounds: number,
  measure: (contender: C, round: number) => Promise<S>,
): Promise<Comparison<S>> {
  const samples = new Map<C, S[]>(contenders.map((contender) => [contender, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const [contender, taken] of samples) taken.push(await measure(contender, round))
  }
  return new Comparison(samples)
}
