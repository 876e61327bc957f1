import { describe, expect, it } from 'vitest'
import { lookUp } from './lookup.ts'
import { recordTypes, responseCodes } from './protocol.ts'
import { toText, toWireName } from './wire-name.ts'
import { Zone } from './zone.ts'
import { ZoneTable } from './zone-table.ts'

const nowSeconds = () => 1_800_000_000

function zones(): ZoneTable {
  const table = new ZoneTable()
  const service = new Zone({ apex: 'svc.test', nameservers: ['ns1.svc.test', 'ns2.svc.test'], nowSeconds })
  service.put('*.svc.test', 60, { type: 'A', values: ['192.0.2.1'] })
  service.put('ns1.svc.test', 60, { type: 'A', values: ['192.0.2.2'] })
  service.put('ns2.svc.test', 60, { type: 'AAAA', values: ['2001:db8::2'] })
  service.put('label.acme-challenge.svc.test', 1, { type: 'TXT', values: ['one', 'two'] })
  service.put('alias.svc.test', 60, { type: 'CNAME', values: ['www.customer.test'] })
  service.put('loop.svc.test', 60, { type: 'CNAME', values: ['loop.svc.test'] })
  service.put('gone.svc.test', 60, { type: 'CNAME', values: ['absent.customer.test'] })
  service.put('away.svc.test', 60, { type: 'CNAME', values: ['elsewhere.example'] })
  service.put('sub.svc.test', 60, { type: 'NS', values: ['ns.sub.svc.test'] })
  service.put('ns.sub.svc.test', 60, { type: 'A', values: ['192.0.2.3'] })
  table.add(service)
  const customer = new Zone({ apex: 'customer.test', nameservers: ['ns1.svc.test'], nowSeconds })
  customer.put('www.customer.test', 60, { type: 'A', values: ['192.0.2.9'] })
  table.add(customer)
  return table
}

function ask(name: string, type: keyof typeof recordTypes) {
  const { answers, authority, additional, ...rest } = lookUp(zones(), toWireName(name), recordTypes[type])
  const names = (sets: typeof answers) =>
    sets.map(({ owner, set }) => `${toText(owner)} ${set.type} x${set.data.length}`)
  return { ...rest, answers: names(answers), authority: names(authority), additional: names(additional) }
}

const noError = { code: responseCodes.noError, isAuthoritative: true, answers: [], authority: [], additional: [] }
const soaOf = (apex: string) => [`${apex} ${recordTypes.SOA} x1`]

describe('looking up a name', () => {
  it('answers the exact type with authority', () => {
    expect(ask('label.acme-challenge.svc.test', 'TXT')).toEqual({
      ...noError,
      answers: ['label.acme-challenge.svc.test 16 x2'],
    })
  })

  it('says "no such records" for another type and for an empty non-terminal', () => {
    expect(ask('label.acme-challenge.svc.test', 'A')).toEqual({ ...noError, authority: soaOf('svc.test') })
    expect(ask('acme-challenge.svc.test', 'A')).toEqual({ ...noError, authority: soaOf('svc.test') })
  })

  it('says "no such name" below an existing name without falling to a wildcard further up', () => {
    expect(ask('other.acme-challenge.svc.test', 'A')).toEqual({
      ...noError,
      code: responseCodes.nameError,
      authority: soaOf('svc.test'),
    })
  })

  it('expands a wildcard at the closest encloser, over several labels', () => {
    expect(ask('a.b.svc.test', 'A').answers).toEqual(['a.b.svc.test 1 x1'])
    expect(ask('a.b.svc.test', 'TXT')).toEqual({ ...noError, authority: soaOf('svc.test') })
  })

  it('follows an alias into another zone of ours, but not out of ours, and never in circles', () => {
    expect(ask('alias.svc.test', 'A').answers).toEqual(['alias.svc.test 5 x1', 'www.customer.test 1 x1'])
    expect(ask('gone.svc.test', 'A')).toMatchObject({
      code: responseCodes.nameError,
      authority: soaOf('customer.test'),
    })
    expect(ask('away.svc.test', 'A')).toEqual({ ...noError, answers: ['away.svc.test 5 x1'] })
    expect(ask('loop.svc.test', 'A').answers.length).toBeLessThan(12)
    expect(ask('alias.svc.test', 'CNAME').answers).toEqual(['alias.svc.test 5 x1'])
  })

  it('refers to the servers of a delegated name, without authority, with their addresses', () => {
    expect(ask('x.sub.svc.test', 'A')).toEqual({
      ...noError,
      isAuthoritative: false,
      authority: ['sub.svc.test 2 x1'],
      additional: ['ns.sub.svc.test 1 x1'],
    })
  })

  it('adds the addresses of name servers', () => {
    expect(ask('svc.test', 'NS').additional).toEqual(['ns1.svc.test 1 x1', 'ns2.svc.test 28 x1'])
  })

  it('refuses what is in no zone of ours', () => {
    expect(ask('example.com', 'A')).toEqual({ ...noError, code: responseCodes.refused, isAuthoritative: false })
  })

  it('answers ANY with one small record', () => {
    expect(ask('svc.test', 'ANY').answers).toEqual(['svc.test 13 x1'])
  })
})
