import { beforeEach, describe, expect, it } from 'vitest'
import { AcmeError } from '../../src/certs/acme/acme-error.ts'
import { ordersPerAccountMax } from '../../src/certs/provisioning/account-orders.ts'
import { dueAtMs } from '../../src/certs/provisioning/certificate-state.ts'
import { Provisioner } from '../../src/certs/provisioning/provisioner.ts'
import type { CertificateSubject } from '../../src/certs/provisioning/subject.ts'
import { certificateLifeMs, ProvisioningRig } from './provisioning-rig.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const id = 'rd_1'
const alias = {
  kind: 'alias',
  name: '_acme-challenge.app.customer.test',
  target: 'label.acme-challenge.svc.test',
} as const
const wildcard: CertificateSubject = {
  id,
  accountId: 'ac_1',
  requirements: [alias],
  certificate: {
    names: ['*.app.customer.test'],
    keyType: 'ecdsa',
    proof: { type: 'dns-01', recordOf: () => alias.target },
  },
}

let rig: ProvisioningRig
let provisioner: Provisioner

beforeEach(() => {
  rig = new ProvisioningRig()
  rig.subjects.set(id, wildcard)
  rig.dns.set(alias.name, [`${alias.target}.`])
  provisioner = new Provisioner(rig.options)
})

async function run() {
  const state = await provisioner.run(id, new AbortController().signal)
  expect(state).toEqual(rig.states.rows.get(id)?.state ?? null)
  return state!
}

function outage(status = 500, type = 'serverInternal', retryAfterMs: number | null = null): AcmeError {
  return new AcmeError('order', {
    problem: { type, detail: '', status, subproblems: [], identifier: null },
    retryAfterMs,
  })
}

describe('obtaining a certificate', () => {
  it('orders when the records are there, attaches what came, and plans the renewal', async () => {
    const state = await run()
    expect(rig.orders).toMatchObject([{ names: ['*.app.customer.test'], keyType: 'ecdsa', replaces: null }])
    expect(rig.stored.get('cert_1')?.notAfterMs).toBe(rig.nowMs + certificateLifeMs)
    expect(state).toMatchObject({ job: null, held: { id: 'cert_1' }, renewsAtMs: rig.nowMs + 60 * dayMs })
  })

  it('spends no order while a record is missing, looks every 5 minutes for an hour, then hourly, and orders at once when it is there', async () => {
    rig.dns.delete(alias.name)
    const delays: number[] = []
    for (let attempt = 0; attempt < 14; attempt++) {
      const { job } = await run()
      expect(job?.failure).toMatchObject({ code: 'DNS_ERROR', msg: expect.stringContaining(alias.target) as string })
      delays.push(job!.retriesAtMs! - rig.nowMs)
      rig.nowMs = job!.retriesAtMs!
    }
    expect(delays).toEqual([...Array<number>(12).fill(5 * minuteMs), hourMs, hourMs])
    expect(rig.orders).toEqual([])
    rig.dns.set(alias.name, [alias.target])
    expect((await run()).held?.id).toBe('cert_1')
  })

  it('tells what a record points to instead', async () => {
    rig.dns.set(alias.name, ['elsewhere.test'])
    expect((await run()).job?.failure?.msg).toContain('it points to elsewhere.test')
  })

  it('spends no order while CAA records forbid the authority, and says which record to add where', async () => {
    const forbidding = [{ isCritical: false, tag: 'issue', value: 'other.test' }]
    const caaOf = (name: string) => Promise.resolve(name === 'customer.test' ? forbidding : [])
    Object.assign(rig.options.lookup, { caaOf })
    const { code, msg } = (await run()).job!.failure!
    expect(code).toBe('DNS_ERROR')
    expect(msg).toContain('at customer.test do not allow ca.test')
    expect(msg).toContain('0 issuewild "ca.test"')
    expect(rig.orders).toEqual([])
  })

  it('takes a failed lookup of ours for an internal failure', async () => {
    rig.lookupFails = true
    expect((await run()).job?.failure).toMatchObject({ code: 'INTERNAL_ERROR', count: 1 })
  })

  it('tries again after 1, 10 and 100 minutes, then daily, while the authority is down', async () => {
    rig.orderFails = outage()
    const delays: number[] = []
    for (let attempt = 0; attempt < 5; attempt++) {
      const { job } = await run()
      expect(job?.failure?.code).toBe('INTERNAL_ERROR')
      delays.push((job!.retriesAtMs! - rig.nowMs) / minuteMs)
      rig.nowMs = job!.retriesAtMs!
    }
    expect(delays).toEqual([1, 10, 100, 1_440, 1_440])
  })

  it('never comes back before the authority allows it', async () => {
    rig.orderFails = outage(429, 'rateLimited', hourMs)
    const { job } = await run()
    expect(job!.retriesAtMs! - rig.nowMs).toBe(hourMs)
  })

  it('places three orders an hour at most and keeps showing why', async () => {
    rig.orderFails = new AcmeError('authorization', {
      problem: { type: 'unauthorized', detail: 'wrong', status: 403, subproblems: [], identifier: null },
    })
    const first = rig.nowMs
    for (let attempt = 0; attempt < 4; attempt++) rig.nowMs = (await run()).job!.retriesAtMs!
    expect(rig.orders).toHaveLength(3)
    expect(rig.nowMs).toBe(first + hourMs)
    expect(rig.states.rows.get(id)?.state.job?.failure?.code).toBe('DNS_ERROR')
  })

  it('says that a resource has had its orders where nothing failed: its policy was switched off and on', async () => {
    const managed = rig.subjects.get(id)!
    for (let order = 0; order < 3; order += 1) {
      expect((await run()).held).not.toBeNull()
      rig.subjects.set(id, { ...managed, certificate: null })
      await run()
      rig.subjects.set(id, managed)
    }
    const { job } = await run()
    expect(rig.orders).toHaveLength(3)
    expect(job).toMatchObject({ retriesAtMs: rig.nowMs + hourMs, failure: { code: 'INTERNAL_ERROR' } })
    expect(job?.failure?.msg).toContain('this resource')
    rig.nowMs += hourMs
    expect(await run()).toMatchObject({ job: null, held: { id: 'cert_4' } })
  })

  it('places no more orders for one account than its share, also when its domains come and go; others go on', async () => {
    const runAs = async (accountId: string | null, domainId: string) => {
      rig.subjects.set(domainId, { ...wildcard, id: domainId, accountId })
      return provisioner.run(domainId, new AbortController().signal)
    }
    const first = rig.nowMs
    for (let order = 0; order < ordersPerAccountMax; order += 1) {
      expect((await runAs('ac_1', `rd_${order}`))?.job).toBeNull()
      rig.subjects.delete(`rd_${order}`)
      await provisioner.run(`rd_${order}`, new AbortController().signal)
      rig.nowMs += minuteMs
    }
    rig.dns.delete(alias.name)
    expect((await runAs('ac_1', 'rd_last'))?.job?.failure?.code).toBe('DNS_ERROR')
    rig.dns.set(alias.name, [alias.target])
    const waiting = (await runAs('ac_1', 'rd_last'))?.job
    expect(rig.orders).toHaveLength(ordersPerAccountMax)
    expect(waiting).toMatchObject({ retriesAtMs: first + hourMs, failure: { code: 'INTERNAL_ERROR' } })
    expect(waiting?.failure?.msg).toContain('this account')
    expect((await runAs('ac_2', 'rd_other'))?.job).toBeNull()
    expect((await runAs(null, 'service'))?.job).toBeNull()

    rig.nowMs = first + hourMs
    expect((await runAs('ac_1', 'rd_last'))?.job).toBeNull()
    expect((await runAs('ac_1', 'rd_later'))?.job?.retriesAtMs).toBe(first + minuteMs + hourMs)
  })

  it('renews the certificates of an account that has had its orders', async () => {
    await run()
    for (let order = 1; order < ordersPerAccountMax; order += 1) {
      rig.subjects.set(`rd_${order + 1}`, { ...wildcard, id: `rd_${order + 1}` })
      await provisioner.run(`rd_${order + 1}`, new AbortController().signal)
    }
    rig.nowMs += 60 * dayMs
    for (let order = 0; order < ordersPerAccountMax + 1; order += 1)
      rig.subjects.set(`rd_new_${order}`, { ...wildcard, id: `rd_new_${order}` })
    for (let order = 0; order < ordersPerAccountMax + 1; order += 1)
      await provisioner.run(`rd_new_${order}`, new AbortController().signal)
    expect(rig.states.rows.get(`rd_new_${ordersPerAccountMax}`)?.state.job?.failure?.msg).toContain('this account')
    expect(await run()).toMatchObject({ job: null })
    expect(rig.orders.at(-1)?.replaces).not.toBeNull()
  })

  it('keeps the start of a job and the count of failures over attempts', async () => {
    rig.orderFails = outage()
    const first = await run()
    rig.nowMs += minuteMs
    const second = await run()
    expect(second.job).toMatchObject({ startedAtMs: first.job!.startedAtMs, failure: { count: 2 } })
  })

  it('goes on at once with a job that a dead process left behind', async () => {
    rig.duringOrder = () => {
      throw new Error('killed')
    }
    const stopping = new AbortController()
    stopping.abort()
    await expect(provisioner.run(id, stopping.signal)).rejects.toThrow('killed')
    const left = rig.states.rows.get(id)!.state
    expect(left.job).toMatchObject({ retriesAtMs: null, failure: null })
    expect(dueAtMs(left)).toBe(0)
    rig.duringOrder = null
    expect((await run()).held?.id).toBe('cert_1')
  })
})

describe('changing one’s mind', () => {
  it('does not attach a certificate when management was switched off while it was ordered', async () => {
    rig.duringOrder = () => rig.subjects.set(id, { ...wildcard, certificate: null })
    await run()
    expect(rig.stored.size).toBe(0)
    expect(await run()).toMatchObject({ held: null, job: null })
  })

  it('detaches the certificate when management is switched off, and leaves no job', async () => {
    await run()
    rig.subjects.set(id, { ...wildcard, certificate: null })
    expect(await run()).toMatchObject({ held: null, renewsAtMs: null, job: null })
    expect(rig.stored.size).toBe(0)
  })

  it('forgets a subject that is gone', async () => {
    await run()
    rig.subjects.delete(id)
    expect(await provisioner.run(id, new AbortController().signal)).toBeNull()
    expect([rig.stored.size, rig.states.rows.size]).toEqual([0, 0])
  })

  it('tells of the new certificate while the old one is still there, so that no handshake finds neither', async () => {
    await run()
    rig.nowMs += 61 * dayMs
    await run()
    expect(rig.told.map(({ state, stored }) => [state?.held?.id, stored])).toEqual([
      ['cert_1', 1],
      ['cert_2', 2],
    ])
    expect(rig.stored.size).toBe(1)
  })

  it('orders again when a name was added or the key type changed', async () => {
    await run()
    rig.subjects.set(id, {
      ...wildcard,
      certificate: { ...wildcard.certificate!, names: ['*.app.customer.test', 'more.customer.test'] },
    })
    expect((await run()).held?.id).toBe('cert_2')
    rig.subjects.set(id, { ...wildcard, certificate: { ...wildcard.certificate!, keyType: 'rsa' } })
    expect((await run()).held?.id).toBe('cert_3')
  })
})

describe('renewing', () => {
  it('replaces the certificate when two thirds of its life are over, naming the old one', async () => {
    await run()
    rig.nowMs += 60 * dayMs
    const state = await run()
    expect(rig.orders[1]?.replaces).toMatch(/^aYhbaw\./)
    expect(state).toMatchObject({ held: { id: 'cert_2' }, job: null })
    expect([...rig.stored.keys()]).toEqual(['cert_2'])
  })

  it('keeps what it has while a renewal fails', async () => {
    await run()
    rig.nowMs += 60 * dayMs
    rig.orderFails = outage()
    const state = await run()
    expect(state).toMatchObject({ held: { id: 'cert_1' }, job: { failure: { code: 'INTERNAL_ERROR' } } })
    expect(rig.stored.size).toBe(1)
  })

  it('follows the window of the authority, also when it moves into the past', async () => {
    const window = (startMs: number) => ({ startMs, endMs: startMs + 2 * dayMs, askAgainInMs: 6 * hourMs })
    rig.renewalInfo = window(rig.nowMs + 50 * dayMs)
    const planned = await run()
    expect(planned).toMatchObject({ renewsAtMs: rig.nowMs + 51 * dayMs, renewalInfoAtMs: rig.nowMs + 6 * hourMs })
    expect(dueAtMs(planned)).toBe(rig.nowMs + 6 * hourMs)
    rig.nowMs += 6 * hourMs
    rig.renewalInfo = window(rig.nowMs - 10 * dayMs)
    const moved = await run()
    expect(dueAtMs(moved)).toBeLessThanOrEqual(rig.nowMs)
    expect((await run()).held?.id).toBe('cert_2')
  })

  it('does not wait for a window that opens when the certificate is about to end, or later', async () => {
    const endless = { startMs: rig.nowMs + 1_000 * dayMs, endMs: rig.nowMs + 1_002 * dayMs, askAgainInMs: 6 * hourMs }
    rig.renewalInfo = endless
    expect((await run()).renewsAtMs).toBe(rig.nowMs + 81 * dayMs)
    rig.nowMs += 81 * dayMs
    expect((await run()).held?.id).toBe('cert_2')
  })

  it('goes by the age of the certificate after three silent answers', async () => {
    rig.renewalInfo = { startMs: rig.nowMs + 10 * dayMs, endMs: rig.nowMs + 10 * dayMs, askAgainInMs: hourMs }
    const issuedAtMs = rig.nowMs
    await run()
    rig.renewalInfo = outage()
    for (let attempt = 0; attempt < 3; attempt++) {
      rig.nowMs += hourMs
      await run()
    }
    expect(rig.states.rows.get(id)?.state.renewsAtMs).toBe(issuedAtMs + 60 * dayMs)
  })
})

describe('records that are lost later', () => {
  it('are noticed within a day; the certificate stays, the status says DNS_ERROR, and it heals', async () => {
    const issued = await run()
    expect(dueAtMs(issued)).toBe(rig.nowMs + dayMs)
    rig.nowMs += dayMs
    rig.dns.delete(alias.name)
    expect(await run()).toMatchObject({ held: { id: 'cert_1' }, job: { failure: { code: 'DNS_ERROR' } } })
    rig.dns.set(alias.name, [alias.target])
    expect(await run()).toMatchObject({ held: { id: 'cert_1' }, job: null })
    expect(rig.orders).toHaveLength(1)
  })
})

describe('taking over what another left behind', () => {
  const delegation = {
    kind: 'delegation',
    domain: 'connect.acme.test',
    nameservers: ['1.b.ns.svc.test', '2.b.ns.svc.test'],
  } as const

  it('a deleted ingress: its name servers still stand at the parent, another account’s ingress neither loads nor orders', async () => {
    rig.dns.set(delegation.domain, ['1.a.ns.svc.test', '2.a.ns.svc.test'])
    rig.subjects.set(id, { ...wildcard, requirements: [delegation] })
    expect((await run()).job?.failure?.code).toBe('DNS_ERROR')
    expect([rig.confirmed, rig.orders]).toEqual([[], []])
  })

  it.each([
    ['only some', ['1.b.ns.svc.test']],
    ['others besides', ['1.b.ns.svc.test', '2.b.ns.svc.test', 'ns.other.test']],
  ])('a delegation to %s of the name servers does not count', async (_case, listed) => {
    rig.dns.set(delegation.domain, listed)
    rig.subjects.set(id, { ...wildcard, requirements: [delegation] })
    await run()
    expect([rig.confirmed, rig.orders]).toEqual([[], []])
  })

  it('a dangling CNAME: it points at the label of a domain that is gone, and helps nobody else', async () => {
    rig.dns.set(alias.name, ['old-label.acme-challenge.svc.test'])
    await run()
    expect(rig.orders).toEqual([])
  })

  it('the rightful delegation loads the zone, with or without a certificate', async () => {
    rig.dns.set(delegation.domain, ['2.B.ns.svc.test.', '1.b.ns.svc.test.'])
    rig.subjects.set(id, { ...wildcard, certificate: null, requirements: [delegation] })
    expect(await run()).toMatchObject({ job: null, held: null, confirmedAtMs: rig.nowMs })
    expect(rig.confirmed).toEqual([id])
  })
})
