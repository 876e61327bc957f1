import { describe, expect, it } from 'vitest'
import { Circuit } from '../../src/actions/circuit.ts'
import type { Policy } from '../../src/index.ts'
import { begin, compile, oneAction, problemsOf, RecordingHost, runRequest } from '../harness.ts'

const config = '$.inbound[0].actions[0].config'

describe('circuit-breaker', () => {
  const breaker = (fields: object = {}) => oneAction('circuit-breaker', { volume_threshold: 4, ...fields })
  const send = async (policy: Policy, result: 'answered' | 'failed'): Promise<number | undefined> => {
    const exchange = begin(policy)
    const outcome = await policy.onRequest(exchange)
    if (outcome === undefined) exchange.reportUpstream(result)
    return outcome?.kind === 'respond' ? outcome.status : undefined
  }

  it('opens on failures, answers 503 with a time, and closes after a good probe', async () => {
    const host = new RecordingHost()
    const policy = compile(breaker(), host)
    for (const result of ['answered', 'answered', 'failed', 'failed'] as const)
      expect(await send(policy, result)).toBeUndefined()
    const { outcome } = await runRequest(policy)
    expect(outcome).toMatchObject({ status: 503, headers: [['retry-after', '10']] })
    host.nowMs += 10_000
    expect(await send(policy, 'answered')).toBeUndefined()
    expect(await send(policy, 'answered')).toBeUndefined()
  })

  it('opens again after a bad probe, and lets one probe through at a time', async () => {
    const host = new RecordingHost()
    const policy = compile(breaker(), host)
    for (let i = 0; i < 4; i++) await send(policy, 'failed')
    host.nowMs += 10_000
    const probe = begin(policy)
    expect(await policy.onRequest(probe)).toBeUndefined()
    expect(await send(policy, 'answered')).toBe(503)
    probe.reportUpstream('failed')
    host.nowMs += 9_999
    expect(await send(policy, 'answered')).toBe(503)
    host.nowMs += 1
    expect(await send(policy, 'answered')).toBeUndefined()
  })

  it('stays closed below the volume, below the share, and forgets what left the window', async () => {
    const few = compile(breaker({ volume_threshold: 5 }))
    for (let i = 0; i < 4; i++) await send(few, 'failed')
    expect(await send(few, 'answered')).toBeUndefined()
    const host = new RecordingHost()
    const old = compile(breaker(), host)
    for (let i = 0; i < 3; i++) await send(old, 'failed')
    host.nowMs += 11_000
    await send(old, 'failed')
    expect(await send(old, 'answered')).toBeUndefined()
  })

  it('is not stuck when a probe never reports', () => {
    const circuit = new Circuit({
      errorThreshold: 0.5,
      volumeThreshold: 1,
      windowMs: 10_000,
      trippedMs: 1000,
      buckets: 10,
    })
    circuit.report(true, 0)
    expect(circuit.admit(1000)).toBe(0)
    expect(circuit.admit(1500)).toBe(500)
    expect(circuit.admit(2000)).toBe(0)
  })

  it.each([
    [{ error_threshold: 1.1 }, 'error_threshold', 'out_of_range'],
    [{ volume_threshold: 0 }, 'volume_threshold', 'out_of_range'],
    [{ window_duration: '0.5s' }, 'window_duration', 'out_of_range'],
    [{ tripped_duration: '25h' }, 'tripped_duration', 'out_of_range'],
    [{ tripped_duration: 'soon' }, 'tripped_duration', 'invalid_duration'],
    [{ num_buckets: 129 }, 'num_buckets', 'out_of_range'],
  ])('refuses %j', (fields, path, code) => {
    expect(problemsOf(breaker(fields))).toContainEqual(expect.objectContaining({ path: `${config}.${path}`, code }))
  })
})

describe('forward-internal', () => {
  const forward = (fields: object) => oneAction('forward-internal', fields)

  it('names the target', async () => {
    expect(
      (await runRequest(compile(forward({ url: 'https://b.example.com/', binding: 'internal' })))).outcome,
    ).toEqual({ kind: 'forward', url: 'https://b.example.com' })
    const dynamic = compile(forward({ url: "https://${req.headers['x-to'][0]}.example.com", on_error: 'continue' }))
    expect((await runRequest(dynamic, { headers: { 'x-to': 'c' } })).outcome).toEqual({
      kind: 'forward',
      url: 'https://c.example.com',
    })
  })

  it.each(['x/y', 'x@evil', 'x ', 'x?', 'x#'])(
    'refuses the request when a header makes the target %j',
    async (value) => {
      const policy = compile(forward({ url: "https://${req.headers['x-to'][0]}" }))
      expect((await runRequest(policy, { headers: { 'x-to': value } })).outcome).toMatchObject({ status: 500 })
    },
  )

  it('lets the rules go on when it may, and the target is not online', async () => {
    const policy = compile({
      inbound: [
        {
          actions: [
            { type: 'forward-internal', config: { url: 'https://b.example.com', on_error: 'continue' } },
            { type: 'deny' },
          ],
        },
      ],
    })
    const { facts } = begin(policy)
    expect(await policy.onRequest(policy.begin({ ...facts, canForwardTo: () => false }))).toMatchObject({ status: 403 })
    expect(await policy.onRequest(policy.begin({ ...facts, canForwardTo: () => true }))).toMatchObject({
      kind: 'forward',
    })
  })

  it('is not there for connections', () => {
    const problems = problemsOf(forward({ url: 'tcp://b.example.com:20001' }), 'tcp')
    expect(problems).toEqual([expect.objectContaining({ path: config, code: 'action_unavailable' })])
  })

  it.each([
    [{ url: 'tcp://b.example.com:1' }, 'url', 'invalid_url'],
    [{ url: 'https://b.example.com/path' }, 'url', 'invalid_url'],
    [{ url: 'b.example.com' }, 'url', 'invalid_url'],
    [{ url: 'https://b.example.com', on_error: 'ignore' }, 'on_error', 'out_of_range'],
    [{}, 'url', 'missing_field'],
  ])('refuses %j', (fields, path, code) => {
    expect(problemsOf(forward(fields))).toContainEqual(expect.objectContaining({ path: `${config}.${path}`, code }))
  })

  it('ends the rules unless it may be skipped', () => {
    const after = [{ type: 'forward-internal', config: { url: 'https://b.example.com' } }, { type: 'deny' }]
    expect(problemsOf({ inbound: [{ actions: after }] })).toEqual([
      expect.objectContaining({ code: 'unreachable_action' }),
    ])
  })
})
