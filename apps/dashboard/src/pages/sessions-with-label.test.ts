import type { Tunnel } from '@tunnel/models'
import { expect, it } from 'vitest'
import { sessionsWithLabel } from './sessions-with-label.ts'

const tunnel = (session: string, labels?: Record<string, string>) =>
  ({ tunnel_session: { id: session, uri: '' }, ...(labels && { labels }) }) as Tunnel
const tunnels = [tunnel('ts_1', { site: 'a' }), tunnel('ts_2', { site: 'b', rack: '1' }), tunnel('ts_3')]

it.each([
  ['site=a', ['ts_1']],
  ['site', ['ts_1', 'ts_2']],
  ['rack=2', []],
  ['toString', []],
])('%s selects %j', (label, sessions) => {
  expect([...sessionsWithLabel(tunnels, label)]).toEqual(sessions)
})
