import { describe, expect, it } from 'vitest'
import { errorDefinitions } from './catalogue.ts'
import { ServiceError } from './service-error.ts'

describe('the error catalogue', () => {
  it('gives every code to one reason only', () => {
    const codes = Object.values(errorDefinitions)
      .map((row) => row.code)
      .filter((code) => code !== null)
    expect(new Set(codes).size).toBe(codes.length)
  })

  it('fills the placeholders of a text and leaves none', () => {
    const error = new ServiceError('endpoint_taken', { name: 'a.example.com' })
    expect(error.message).toBe('The address a.example.com is already online in another session.')
    expect(error.definition.status).toBe(409)
  })
})
