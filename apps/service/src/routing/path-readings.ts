import { posix } from 'node:path'

/** What programs do to a path, each in an order of its own. */
const rewrites: readonly ((path: string) => string)[] = [
  decode,
  withoutParameters,
  withoutRest,
  withSlashes,
  resolve,
  (path) => posix.normalize(path),
]

/** Honest paths have a few; what needs more is made to cost time. */
const readingsMaxCount = 64
const readingsMaxChars = 131_072

/** Percent signs, backslashes, parameters, empty segments and dot segments are where programs differ. */
export function mayBeReadDifferently(path: string): boolean {
  return /[%\\;]|\/\/|\/\.{1,2}(?:\/|$)/.test(path)
}

/** Every form that a path takes when programs decode, cut and resolve it, in whatever order; undefined when there are too many. */
export function readingsOf(path: string): ReadonlySet<string> | undefined {
  const readings = new Set([path])
  const maxCount = Math.min(readingsMaxCount, readingsMaxChars / path.length)
  // The set grows while it is walked.
  for (const reading of readings)
    for (const rewrite of rewrites) if (readings.add(rewrite(reading)).size > maxCount) return undefined
  return readings
}

function decode(path: string): string {
  return path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Servlet containers take `;name=value` out of a segment before they resolve it. */
function withoutParameters(path: string): string {
  return path.replaceAll(/;[^/]*/g, '')
}

/** Some look for the query, the fragment or the end of the text after they have decoded. */
function withoutRest(path: string): string {
  return path.replace(/[?#\0].*/s, '')
}

function withSlashes(path: string): string {
  return path.replaceAll(/[\\/]+/g, '/')
}

/** RFC 3986 5.2.4. `posix.normalize` stands for those that leave no slash in place of a last dot segment. */
function resolve(path: string): string {
  const resolved: string[] = []
  const segments = path.split('/').slice(1)
  for (const [index, segment] of segments.entries()) {
    if (segment === '..') resolved.pop()
    if (segment !== '.' && segment !== '..') resolved.push(segment)
    else if (index === segments.length - 1) resolved.push('')
  }
  return `/${resolved.join('/')}`
}
