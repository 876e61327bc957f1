import { describe, expect, it } from 'vitest'
import { initialValues, toBody } from './form-values.ts'
import type { FieldSpec } from './resource-view.ts'

const unused = () => {
  throw new Error('not in this test')
}

const fields: readonly FieldSpec[] = [
  { kind: 'text', name: 'description', label: '' },
  { kind: 'acl', name: 'acl', label: '' },
  { kind: 'lines', name: 'principals', label: '' },
  { kind: 'number', name: 'status_code', label: '' },
  { kind: 'map', name: 'labels', label: '' },
  { kind: 'switch', name: 'active', label: '', initially: true },
  {
    kind: 'reference',
    name: 'ip_policy_ids',
    label: '',
    to: { path: '/x', get: unused, all: unused },
    isMany: true,
    readFrom: 'ip_policies',
  },
]

describe('form values', () => {
  it('leaves empty fields out of a create', () => {
    expect(toBody(fields, initialValues(fields, null), null)).toEqual({ active: true })
  })

  it('turns lines, numbers and pairs into what the API takes', () => {
    const values = {
      description: 'd',
      acl: [
        ['name', 'a '],
        ['below', 'b'],
      ],
      principals: ' one \n\ntwo',
      status_code: '418',
      labels: [
        ['k', 'v'],
        ['', 'x'],
      ],
      active: false,
      ip_policy_ids: ['ipp_1'],
    } as const
    expect(toBody(fields, values, null)).toEqual({
      description: 'd',
      acl: ['bind:a', 'bind:*.b'],
      principals: ['one', 'two'],
      status_code: 418,
      labels: { k: 'v' },
      active: false,
      ip_policy_ids: ['ipp_1'],
    })
  })

  it('sends only what an edit changed, also a cleared text', () => {
    const before = initialValues(fields, {
      description: 'old',
      acl: ['bind:a'],
      labels: { k: 'v' },
      ip_policies: [{ id: 'ipp_1' }],
    })
    expect(before['ip_policy_ids']).toEqual(['ipp_1'])
    expect(toBody(fields, { ...before, description: '' }, before)).toEqual({ description: '' })
  })
})
