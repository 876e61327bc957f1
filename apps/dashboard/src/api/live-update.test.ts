import { expect, it } from 'vitest'
import { concerns, patched } from './live-update.ts'

it.each([
  ['/tunnel_sessions', 'tunnel_session_started.v0', true],
  ['/tunnel_sessions/ts_1', 'tunnel_session_stopped.v0', true],
  ['/ip_policies', 'ip_policy_created.v0', true],
  ['/agent_ingresses', 'agent_ingress_updated.v0', true],
  ['/backends/tunnel_group', 'tunnel_group_backend_deleted.v0', true],
  ['/api_keys', 'tunnel_session_started.v0', false],
])('%s is concerned by %s: %s', (path, type, expected) => {
  expect(concerns(path, type)).toBe(expected)
})

it('patches a list: new first, changed in place, gone left out', () => {
  const items = [
    { id: 'c', metadata: 'old' },
    { id: 'b', metadata: 'old' },
    { id: 'a', metadata: 'old' },
  ]
  const fresh = [
    { id: 'd', metadata: 'new' },
    { id: 'b', metadata: 'new' },
  ]
  expect(patched(items, fresh, new Set(['a']))).toEqual(
    [
      { id: 'd', metadata: 'new' },
      { id: 'b', metadata: 'new' },
      { id: 'c', metadata: 'old' },
    ].sort((one, other) => (one.id < other.id ? 1 : -1)),
  )
})
