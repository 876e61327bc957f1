import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, dirname, sep } from 'node:path'

/** For each folder (or top-level file without its ending) of a source tree: the ones it may import. `*` allows all. */
export type ImportRules = Readonly<Record<string, readonly string[] | '*'>>

/**
 * Reads the relative imports of every production file below `root` and describes each breach of `rules`,
 * and each pair of files that import each other. An empty list means that the tree keeps its directions.
 */
export function importBreaches(root: string, rules: ImportRules): string[] {
  const imports = readImports(resolve(root))
  return [...directionBreaches(imports, rules), ...mutualImports(imports)]
}

interface ImportLine {
  readonly from: string
  readonly to: string
}

function readImports(root: string): ImportLine[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => /(?<!\.test)\.tsx?$/.test(file))
  return sources.flatMap((from) =>
    relativeTargets(readFileSync(join(root, from), 'utf8')).map((target) => ({
      from,
      to: relative(root, resolve(root, dirname(from), target)),
    })),
  )
}

function relativeTargets(source: string): string[] {
  return [...source.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '')
}

function part(file: string): string {
  const [first = ''] = file.split(sep)
  return first.replace(/\.tsx?$/, '')
}

function directionBreaches(imports: readonly ImportLine[], rules: ImportRules): string[] {
  return imports
    .filter(({ from, to }) => part(from) !== part(to) && !isAllowed(rules[part(from)], part(to)))
    .map(({ from, to }) => `${from} imports ${to}: ${part(from)} may not import ${part(to)}`)
}

function isAllowed(allowed: readonly string[] | '*' | undefined, target: string): boolean {
  return allowed === '*' || (allowed?.includes(target) ?? false)
}

function mutualImports(imports: readonly ImportLine[]): string[] {
  const seen = new Set(imports.map(({ from, to }) => `${from} ${to}`))
  return imports
    .filter(({ from, to }) => from < to && seen.has(`${to} ${from}`))
    .map(({ from, to }) => `${from} and ${to} import each other`)
}
