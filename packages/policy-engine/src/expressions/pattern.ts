import { RE2JS } from 're2js'
import { limits } from '../document/limits.ts'
import { allowWork, chargeSince } from './budget.ts'

const cachedPatternsMax = 1000
/** Measured worst case of the automaton, per character and instruction. */
const nanosecondsPerStep = 20

/** A regular expression in RE2 syntax: time is linear in the input, and the worst case is bounded before it runs. */
export class Pattern {
  readonly #compiled: RE2JS
  readonly #size: number
  readonly groupCount: number

  /** Throws an Error whose message says what is wrong with the source. */
  constructor(source: string) {
    if (source.length > limits.patternMaxChars)
      throw new Error(`a pattern has at most ${limits.patternMaxChars} characters`)
    this.#compiled = RE2JS.compile(source)
    this.#size = this.#compiled.programSize()
    this.groupCount = this.#compiled.groupCount()
  }

  test(input: string): boolean {
    return this.#bounded(input, () => this.#compiled.test(input))
  }

  /** Replaces all matches. `$n` in the replacement is group n, everything else is literal. */
  replaceAll(input: string, replacement: string): { text: string; matches: string[] } {
    return this.#bounded(input, () => {
      const matches: string[] = []
      let text = ''
      let end = 0
      for (const match of this.#compiled.matchAll(input)) {
        const start = match.index ?? 0
        matches.push(match[0])
        text += input.slice(end, start) + fillGroups(replacement, match)
        end = start + match[0].length
      }
      return { text: text + input.slice(end), matches }
    })
  }

  #bounded<T>(input: string, run: () => T): T {
    const worstNanoseconds = input.length * this.#size * nanosecondsPerStep
    if (worstNanoseconds < 100_000) return run()
    allowWork(worstNanoseconds)
    const startedAt = performance.now()
    const result = run()
    chargeSince(startedAt)
    return result
  }
}

/** Patterns used since the last turn, and those of the time before: reading costs one look-up, and both are bounded. */
let recent = new Map<string, Pattern>()
let older = new Map<string, Pattern>()

/** The compiled form of a pattern, from a bounded cache that drops what was not used for long. */
export function compilePattern(source: string): Pattern {
  const known = recent.get(source)
  if (known !== undefined) return known
  const pattern = older.get(source) ?? new Pattern(source)
  if (recent.size >= cachedPatternsMax / 2) [older, recent] = [recent, new Map<string, Pattern>()]
  recent.set(source, pattern)
  return pattern
}

/** Whether the pattern matches anywhere in the text. */
export function matchPattern(text: string, pattern: string): boolean {
  return compilePattern(pattern).test(text)
}

/** The highest `$n` that a replacement text refers to. */
export function highestGroup(replacement: string): number {
  return Math.max(0, ...[...replacement.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])))
}

function fillGroups(replacement: string, match: readonly (string | undefined)[]): string {
  return replacement.replaceAll(/\$(\d+)/g, (_whole, group: string) => match[Number(group)] ?? '')
}
