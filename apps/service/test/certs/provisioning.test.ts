import { afterEach, beforeEach, expect, it } from 'vitest'
import { Provisioning } from '../../src/certs/provisioning/provisioning.ts'
import type { CertificateSubject } from '../../src/certs/provisioning/subject.ts'
import { ProvisioningRig } from './provisioning-rig.ts'

let rig: ProvisioningRig
let provisioning: Provisioning

function subject(id: string): CertificateSubject {
  const name = `${id}.customer.test`
  rig.dns.set(name, ['label.cname.svc.test'])
  return {
    id,
    accountId: 'ac_1',
    requirements: [{ kind: 'alias', name, target: 'label.cname.svc.test' }],
    certificate: { names: [name], keyType: 'ecdsa', proof: { type: 'http-01' } },
  }
}

const heldBy = (id: string) => rig.states.rows.get(id)?.state.held?.id

async function start(): Promise<void> {
  provisioning = await Provisioning.start({
    ...rig.options,
    subjectIds: () => Promise.resolve([...rig.subjects.keys()]),
  })
}

beforeEach(() => {
  rig = new ProvisioningRig()
})
afterEach(() => provisioning[Symbol.asyncDispose]())

it('obtains what is wanted at its start, and waits for the renewal', async () => {
  for (const id of ['rd_1', 'rd_2']) rig.subjects.set(id, subject(id))
  await start()
  await expect.poll(() => [heldBy('rd_1'), heldBy('rd_2')].filter(Boolean)).toHaveLength(2)
  await expect.poll(() => provisioning.waiting).toBe(2)
  expect(rig.orders).toHaveLength(2)
})

it('places one order however often it is told that a subject changed', async () => {
  await start()
  rig.subjects.set('rd_1', subject('rd_1'))
  for (let count = 0; count < 20; count++) provisioning.notice('rd_1')
  await expect.poll(() => [heldBy('rd_1') !== undefined, provisioning.waiting]).toEqual([true, 1])
  expect(rig.orders).toHaveLength(1)
})

it('looks again at a subject that changed while it was worked on', async () => {
  rig.duringOrder = () => {
    rig.duringOrder = null
    const wanted = subject('rd_1')
    rig.subjects.set('rd_1', { ...wanted, certificate: { ...wanted.certificate!, keyType: 'rsa' } })
    provisioning.notice('rd_1')
  }
  rig.subjects.set('rd_1', subject('rd_1'))
  await start()
  await expect.poll(() => heldBy('rd_1')).toBeDefined()
  expect(rig.orders.map(({ keyType }) => keyType)).toEqual(['ecdsa', 'rsa'])
})

it('leaves no timer behind for a subject that is gone', async () => {
  rig.subjects.set('rd_1', subject('rd_1'))
  await start()
  await expect.poll(() => heldBy('rd_1')).toBeDefined()
  rig.subjects.delete('rd_1')
  provisioning.notice('rd_1')
  await expect.poll(() => [provisioning.waiting, rig.states.rows.size, rig.stored.size]).toEqual([0, 0, 0])
})

it('an account whose many domains have no working DNS waits for itself alone', async () => {
  const lookedUp: string[] = []
  const answers: (() => void)[] = []
  const aliasesOf = (name: string): Promise<readonly string[]> => {
    lookedUp.push(name)
    if (!name.startsWith('slow')) return Promise.resolve(rig.dns.get(name) ?? [])
    return new Promise((resolve) => answers.push(() => resolve([])))
  }
  Object.assign(rig.options.lookup, { aliasesOf })
  for (let index = 0; index < 50; index += 1) rig.subjects.set(`slow_${index}`, subject(`slow_${index}`))
  rig.subjects.set('rd_1', { ...subject('rd_1'), accountId: 'ac_2' })
  await start()
  await expect.poll(() => answers.length).toBe(8)
  for (let ended = 0; ended < 2; ended += 1) answers.shift()?.()
  await expect.poll(() => heldBy('rd_1')).toBeDefined()
  expect(lookedUp.length).toBeLessThan(15)
  const ending = setInterval(() => answers.splice(0).forEach((answer) => answer()))
  await provisioning[Symbol.asyncDispose]()
  clearInterval(ending)
})

it('some customers whose DNS never answers do not hold up the others', async () => {
  const answer = Promise.withResolvers<readonly string[]>()
  Object.assign(rig.options.lookup, {
    aliasesOf: (name: string) => (name.startsWith('slow') ? answer.promise : Promise.resolve(rig.dns.get(name) ?? [])),
  })
  for (const id of ['slow_1', 'slow_2', 'slow_3', 'slow_4', 'rd_1']) rig.subjects.set(id, subject(id))
  await start()
  await expect.poll(() => heldBy('rd_1')).toBeDefined()
  answer.resolve([])
})
