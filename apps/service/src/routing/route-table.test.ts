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
  ])('refuses %s, which some programs read as another route', (path) => {
    expect(find([prefix('/'), prefix('/admin/')], path)).toBe('ambiguous')
  })

  it.each(['/admin/%61', '/admin//x', '/admin/./x', '/admin/x/../y', '/admin/x%2fy'])(
    'serves %s, which stays in its route however it is read',
    (path) => {
      expect(find([prefix('/'), prefix('/admin/')], path)).toBe('path_prefix /admin/')
    },
  )
})
