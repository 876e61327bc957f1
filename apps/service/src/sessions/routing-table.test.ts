import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NameMemory, RoutingTable } from './routing-table.ts'

const tunnel = (name: string) => ({ name })
type Tunnel = ReturnType<typeof tunnel>

/** What a store would hold. */
class TestMemory implements NameMemory {
  readonly remembered: string[]
  readonly names: Set<string>

  constructor(...remembered: string[]) {
    this.remembered = remembered
    this.names = new Set(remembered)
  }

  remember(name: string): void {
    this.names.add(name)
  }

  forget(name: string): void {
    this.names.delete(name)
  }
}

function tableWith(...names: string[]): RoutingTable<Tunnel> {
  const table = new RoutingTable<Tunnel>(100, new TestMemory())
  for (const name of names) table.claim(name, tunnel(name))
  return table
}

function nameServing(table: RoutingTable<Tunnel>, host: string): string {
  const route = table.find(host)
  return route.kind === 'online' ? route.tunnel.name : route.kind
}

describe('a host name', () => {
  const table = tableWith('app.example.com', '*.example.com', '*.deep.example.com', '*.other.org')

  it.each([
    ['app.example.com', 'app.example.com'],
    ['x.example.com', '*.example.com'],
    ['a.b.c.example.com', '*.example.com'],
    ['x.deep.example.com', '*.deep.example.com'],
    ['a.b.deep.example.com', '*.deep.example.com'],
    ['deep.example.com', '*.example.com'],
    ['x.app.example.com', '*.example.com'],
    ['*.example.com', '*.example.com'],
    ['example.com', 'unknown'],
    ['other.org', 'unknown'],
    ['com', 'unknown'],
    ['', 'unknown'],
    ['evil-example.com', 'unknown'],
  ])('%s leads to %s', (host, expected) => {
    expect(nameServing(table, host)).toBe(expected)
  })
})

it('belongs to one tunnel at a time, and is only taken from the one that holds it', () => {
  const table = new RoutingTable<Tunnel>(100, new TestMemory())
  const [first, second] = [tunnel('first'), tunnel('second')]
  table.claim('a.example.com', first)
  expect(() => table.claim('a.example.com', second)).toThrow('a.example.com')
  table.release('a.example.com', second, true)
  expect(nameServing(table, 'a.example.com')).toBe('first')
  table.release('a.example.com', first, true)
  table.claim('a.example.com', second)
  table.release('a.example.com', first, false)
  expect(nameServing(table, 'a.example.com')).toBe('second')
})

it('is remembered as offline when its tunnel is expected back, up to a bound', () => {
  const table = new RoutingTable<Tunnel>(2, new TestMemory())
  for (const name of ['a.example.com', 'b.example.com', '*.c.example.com', 'gone.example.com']) {
    const held = tunnel(name)
    table.claim(name, held)
    table.release(name, held, name !== 'gone.example.com')
  }
  expect(nameServing(table, 'gone.example.com')).toBe('unknown')
  expect(nameServing(table, 'a.example.com')).toBe('unknown')
  expect(nameServing(table, 'b.example.com')).toBe('offline')
  expect(nameServing(table, 'x.c.example.com')).toBe('offline')
})

it('is offline from the start when it was served before', () => {
  const table = new RoutingTable<Tunnel>(2, new TestMemory('a.example.com'))
  expect(nameServing(table, 'a.example.com')).toBe('offline')
})

it('is held by the memory exactly while it is served or expected back', () => {
  const names = ['old.example.com', 'a.example.com', '*.b.example.com', 'c.example.com']
  const step = fc.record({ name: fc.constantFrom(...names), isExpectedBack: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const memory = new TestMemory('old.example.com')
      const table = new RoutingTable<Tunnel>(2, memory)
      for (const { name, isExpectedBack } of steps) {
        const route = table.find(name)
        if (route.kind === 'online') table.release(name, route.tunnel, isExpectedBack)
        else table.claim(name, tunnel(name))
      }
      const known = names.filter((name) => nameServing(table, name) !== 'unknown')
      expect([...memory.names].toSorted()).toEqual(known.toSorted())
    }),
  )
})

it('answers as a list of names searched one by one would', () => {
  const label = fc.constantFrom('a', 'b', 'c')
  const host = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'))
  const name = fc.tuple(fc.boolean(), host).map(([isWildcard, text]) => (isWildcard ? `*.${text}` : text))
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 12 }), host, (names, asked) => {
      const covering = names.filter(
        (known) => known === asked || (known.startsWith('*.') && asked.endsWith(known.slice(1))),
      )
      const best = covering.includes(asked) ? asked : covering.sort((a, b) => b.length - a.length)[0]
      expect(nameServing(tableWith(...names), asked)).toBe(best ?? 'unknown')
    }),
  )
})
