import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beginDownload, type BootFacts, commit, planBoot, rollBack, stage } from './transitions.ts'
import { initialUpdateState, parseUpdateState, type UpdateState } from './update-state.ts'

const before = { version: '1.0.0', wasOnline: true, tunnelCount: 2 }
const target = { version: '1.1.0', sha256: 'a'.repeat(64) }
const facts: BootFacts = { bootId: 'boot', installedVersion: '1.0.0', isUsable: () => true }
const staged = stage(initialUpdateState, target, before)

function boots(state: UpdateState, count: number, each: Partial<BootFacts> = {}): (string | null)[] {
  const runs: (string | null)[] = []
  let next = state
  for (let boot = 0; boot < count; boot += 1) {
    const plan = planBoot(next, { ...facts, ...each })
    runs.push(plan.run?.version ?? null)
    next = parseUpdateState(JSON.parse(JSON.stringify(plan.state)))
  }
  return runs
}

describe('a staged release', () => {
  it('is tried three times, then the version before runs again, and stays', () => {
    expect(boots(staged, 6)).toEqual(['1.1.0', '1.1.0', '1.1.0', null, null, null])
  })

  it('is not held responsible for power cuts, up to a number', () => {
    let state = staged
    const runs = Array.from({ length: 13 }, (_, boot) => {
      const plan = planBoot(state, { ...facts, bootId: `boot ${boot}` })
      state = plan.state
      return plan.run?.version ?? null
    })
    expect(runs.filter((version) => version === '1.1.0')).toHaveLength(11)
    expect(state.phase.kind).toBe('idle')
  })

  it('that is damaged is never run', () => {
    expect(boots(staged, 1, { isUsable: () => false })).toEqual([null])
  })

  it('runs for good once it is committed', () => {
    const done = commit(planBoot(staged, facts).state)
    expect(done).toMatchObject({
      current: target,
      floor: '1.1.0',
      last: { from: '1.0.0', to: '1.1.0', result: 'updated' },
    })
    expect(boots(done, 3)).toEqual(['1.1.0', '1.1.0', '1.1.0'])
  })

  it('that was rolled back is quarantined, and told of', () => {
    const state = rollBack(planBoot(staged, facts).state, 'tunnels were lost')
    expect(state).toMatchObject({
      quarantined: ['1.1.0'],
      last: { result: 'rolled_back', reason: 'tunnels were lost' },
    })
  })
})

describe('a committed release', () => {
  const committed = commit(planBoot(staged, facts).state)

  it('gives way to a newer package', () => {
    expect(boots(committed, 1, { installedVersion: '1.2.0' })).toEqual([null])
  })

  it('gives way to the package when its file is damaged', () => {
    expect(boots(committed, 1, { isUsable: () => false })).toEqual([null])
  })

  it('is what a failed trial of the next one returns to', () => {
    const next = stage(committed, { version: '1.2.0', sha256: 'b'.repeat(64) }, { ...before, version: '1.1.0' })
    expect(boots(next, 5)).toEqual(['1.2.0', '1.2.0', '1.2.0', '1.1.0', '1.1.0'])
  })
})

it('a state file with any one value changed is refused or followed, and never stops the launcher', () => {
  const trial = planBoot(stage(commit(planBoot(staged, facts).state), target, before), facts).state
  const places = [...Object.keys(trial).map((key) => [key]), ...Object.keys(trial.phase).map((key) => ['phase', key])]
  const inner = ['target', 'before'].flatMap((key) =>
    ['version', 'sha256', 'wasOnline'].map((name) => ['phase', key, name]),
  )
  fc.assert(
    fc.property(fc.constantFrom(...places, ...inner), fc.option(fc.jsonValue(), { nil: undefined }), (place, value) => {
      const json = structuredClone(trial) as unknown as Record<string, unknown>
      const owner = place.slice(0, -1).reduce((at, key) => at[key] as Record<string, unknown>, json)
      owner[place.at(-1) ?? ''] = value
      let state: UpdateState
      try {
        state = parseUpdateState(JSON.parse(JSON.stringify(json)))
      } catch {
        return
      }
      expect(boots(state, 5)).toHaveLength(5)
      expect([commit(state).schema, rollBack(state, 'test').schema]).toEqual([1, 1])
    }),
    { numRuns: 1000 },
  )
})

it('whatever happens in whatever order, a start always has something to run that is whole', () => {
  const steps = fc.array(fc.constantFrom('download', 'stage', 'boot', 'reboot', 'commit', 'rollBack', 'damage'), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(steps, (names) => {
      let state = initialUpdateState
      let isDamaged = false
      const damagedRuns: unknown[] = []
      for (const [n, name] of names.entries()) {
        if (name === 'download') state = beginDownload(state, target, [])
        if (name === 'stage') state = stage(state, target, before)
        if (name === 'commit') state = commit(state)
        if (name === 'rollBack') state = rollBack(state, 'test')
        if (name === 'damage') isDamaged = true
        if (name === 'boot' || name === 'reboot') {
          const plan = planBoot(state, {
            ...facts,
            bootId: name === 'boot' ? 'boot' : `boot ${n}`,
            isUsable: () => !isDamaged,
          })
          state = parseUpdateState(JSON.parse(JSON.stringify(plan.state)))
          if (isDamaged && plan.run !== null) damagedRuns.push(plan.run)
        }
      }
      expect(damagedRuns).toEqual([])
    }),
  )
})
