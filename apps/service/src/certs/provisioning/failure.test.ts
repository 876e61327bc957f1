import { expect, it } from 'vitest'
import { AcmeError, type AcmeStep } from '../acme/acme-error.ts'
import { DnsProblem, failureOf } from './failure.ts'

function problem(type: string, subtypes: readonly string[] = []) {
  const leaf = (name: string) => ({
    type: name,
    detail: `${name} detail`,
    status: 403,
    subproblems: [],
    identifier: 'a.test',
  })
  return { ...leaf(type), subproblems: subtypes.map(leaf) }
}

it.each<[AcmeStep, string, 'DNS_ERROR' | 'INTERNAL_ERROR']>([
  ['authorization', 'unauthorized', 'DNS_ERROR'],
  ['authorization', 'dns', 'DNS_ERROR'],
  ['authorization', 'caa', 'DNS_ERROR'],
  ['authorization', 'connection', 'DNS_ERROR'],
  ['authorization', 'serverInternal', 'INTERNAL_ERROR'],
  ['order', 'rejectedIdentifier', 'DNS_ERROR'],
  ['order', 'caa', 'DNS_ERROR'],
  ['order', 'unauthorized', 'INTERNAL_ERROR'],
  ['order', 'rateLimited', 'INTERNAL_ERROR'],
  ['finalize', 'caa', 'DNS_ERROR'],
  ['finalize', 'badCSR', 'INTERNAL_ERROR'],
  ['account', 'unauthorized', 'INTERNAL_ERROR'],
  ['account', 'externalAccountRequired', 'INTERNAL_ERROR'],
  ['directory', 'badNonce', 'INTERNAL_ERROR'],
])('a problem at %s of type %s is a %s', (step, type, code) => {
  expect(failureOf(new AcmeError(step, { problem: problem(type) })).code).toBe(code)
})

it('takes a compound problem for the customer’s only when all its parts are', () => {
  const of = (subtypes: string[]) => failureOf(new AcmeError('order', { problem: problem('compound', subtypes) }))
  expect(of(['dns', 'caa'])).toMatchObject({
    code: 'DNS_ERROR',
    msg: expect.stringContaining('a.test: caa detail') as string,
  })
  expect(of(['dns', 'serverInternal']).code).toBe('INTERNAL_ERROR')
  expect(of([]).code).toBe('INTERNAL_ERROR')
})

it('keeps the wait that the authority asked for, and shows nothing of an internal failure', () => {
  const error = new AcmeError('order', { problem: problem('rateLimited'), retryAfterMs: 3_600_000 })
  expect(failureOf(error).retryAfterMs).toBe(3_600_000)
  for (const cause of [
    error,
    new AcmeError('order', { problem: null, cause: new Error('10.0.0.1 refused') }),
    new Error('store 10.0.0.1'),
  ])
    expect(failureOf(cause)).toMatchObject({
      code: 'INTERNAL_ERROR',
      msg: expect.not.stringContaining('10.0.0.1') as string,
    })
  expect(failureOf(new DnsProblem('Point it there.'))).toEqual({
    code: 'DNS_ERROR',
    msg: 'Point it there.',
    retryAfterMs: 0,
  })
})
