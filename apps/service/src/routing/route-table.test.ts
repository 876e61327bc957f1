import { posix } from 'node:path'
import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type RouteMatch, RouteTable } from './route-table.ts'

const prefix = (match: string): RouteMatch => ({ matchType: 'path_prefix', match })
const exact = (match: string): RouteMatch => ({ matchType: 'exact_path', match })

function find(routes: readonly RouteMatch[], path: string): string {
  const result = new RouteTable(routes).find(path)
  return result.kind === 'route' ? `${result.route.matchType} ${result.route.match}` : result.kind
}

describe('routes of an edge', () => {
  const routes = [prefix('/'), prefix('/api/'), prefix('/api/v2/'), exact('/api/'), exact('/health')]

  it.each([
    ['/', 'path_prefix /'],
    ['/health', 'exact_path /health'],
    ['/healthy', 'path_prefix /'],
    ['/api/', 'exact_path /api/'],
    ['/api/x', 'path_prefix /api/'],
    ['/api/v2/x', 'path_prefix /api/v2/'],
    ['/api', 'path_prefix /'],
    ['/search%20term', 'path_prefix /'],
    ['/a//b', 'path_prefix /'],
  ])('%s is served by %s', (path, expected) => {
    expect(find(routes, path)).toBe(expected)
  })

  it('knows when no route matches', () => {
    expect(find([prefix('/api/')], '/')).toBe('none')
  })

  it.each([
    '/%61dmin/users',
    '//admin/users',
    '/./admin/users',
    '/x/../admin/users',
    '/x/..%2fadmin/users',
    '/x%2f..%2fadmin/users',
    '/x/%2e%2e/admin/users',
    '/x\\..\\admin/users',
    '/%5cadmin/users',
    '/admin/..',
    '/admin/%2e%2e/',
    '/admin/../public',
    '/x/..;/admin/users',
    '/x/..;a=b/admin/users',
    '/admin;a=b/users',
    '/x/%252e%252e/admin/users',
    '/%2561dmin/users',
    '/admin/%2e%2e/admin/%252e%252e/users',
    '/x/../admin/%2e%2e/x',
    '/x/%3f/../../admin/',
    '/admin/x%3f/../../y',
    '/health/.',
    '/health%3fx',
    '/health%00.png',
    `/%${'25'.repeat(100)}`,
  ])('refuses %s, which some programs read as another route', (path) => {
    expect(find([prefix('/'), prefix('/admin/'), exact('/health')], path)).toBe('ambiguous')
  })

  it.each(['/admin/%61', '/admin//x', '/admin/./x', '/admin/x/../y', '/admin/x%2fy', '/admin/x;v=1/y', '/admin/50%25'])(
    'serves %s, which stays in its route however it is read',
    (path) => {
      expect(find([prefix('/'), prefix('/admin/')], path)).toBe('path_prefix /admin/')
    },
  )

  it.each([
    ['/caf%C3%A9/menu', 'path_prefix /caf%C3%A9/'],
    ['/a%20b', 'exact_path /a%20b'],
    ['/cafe/menu', 'path_prefix /'],
  ])('knows its own paths in the form in which visitors write them: %s', (path, expected) => {
    expect(find([prefix('/'), prefix('/caf%C3%A9/'), exact('/a%20b')], path)).toBe(expected)
  })

  it('refuses a path that decodes to the name of another route, whichever came first', () => {
    const twice = [prefix('/caf%65/'), prefix('/cafe/')]
    for (const order of [twice, twice.toReversed()]) expect(find(order, '/caf%65/x')).toBe('ambiguous')
  })

  it('a path that is served is served by the same route for every program that reads it', () => {
    const guarded = [prefix('/'), prefix('/admin/'), prefix('/public/'), exact('/health')]
    const pieces = [
      '/',
      '/',
      '//',
      '.',
      '..',
      '%2e',
      '%2F',
      '%5c',
      '\\',
      ';',
      ';a=b',
      '%25',
      '2e',
      'admin',
      'public',
      'x',
    ]
    const readers: ((path: string) => string)[] = [
      (path) => new URL(`http://host${path}`).pathname,
      (path) => posix.normalize(decodeURIComponent(path)),
      (path) => posix.normalize(path.replaceAll(/;[^/]*/g, '')),
      (path) => decodeURIComponent(posix.normalize(path)),
    ]
    assert(
      property(array(constantFrom(...pieces), { maxLength: 12 }), (chosen) => {
        const path = `/${chosen.join('')}`
        const found = find(guarded, path)
        if (found === 'ambiguous') return
        for (const reading of readers.flatMap((read) => attempt(() => read(path)))) {
          const meant = find(guarded, reading)
          expect([found, 'ambiguous']).toContain(meant)
        }
      }),
      { numRuns: 5_000 },
    )
  })
})

/** Some paths cannot be decoded at all. */
function attempt(read: () => string): string[] {
  try {
    return [read()]
  } catch {
    return []
  }
}
