import { expect, it } from 'vitest'
import { judgeTrial, type TrialFacts } from './trial-verdict.ts'

const pace = { stableMs: 60_000, unreachedMs: 600_000 }
const good: TrialFacts = {
  elapsedMs: 70_000,
  isApiHealthy: true,
  tunnelCount: 2,
  before: { wasOnline: true, tunnelCount: 2 },
  onlineMs: 65_000,
  isUnderstood: false,
  reachableMs: null,
}

it.each([
  ['a session that has been stable', {}, 'commit'],
  ['a session that is young', { onlineMs: 5000 }, 'wait'],
  [
    'no session where there was none before',
    { onlineMs: null, before: { wasOnline: false, tunnelCount: 2 } },
    'commit',
  ],
  ['a refusal by the service', { onlineMs: null, isUnderstood: true }, 'commit'],
  ['no network at all, for a day', { onlineMs: null, elapsedMs: 86_400_000 }, 'wait'],
  ['a reachable service without a session, for a minute', { onlineMs: null, reachableMs: 60_000 }, 'wait'],
  ['a reachable service without a session, for ten minutes', { onlineMs: null, reachableMs: 600_000 }, 'roll_back'],
  ['tunnels that were lost', { tunnelCount: 1 }, 'roll_back'],
  ['an API that does not answer yet', { isApiHealthy: false, elapsedMs: 1000 }, 'wait'],
  ['an API that does not answer', { isApiHealthy: false }, 'roll_back'],
])('%s: %j means %s', (_, change, verdict) => {
  expect(judgeTrial({ ...good, ...change }, pace).kind).toBe(verdict)
})
