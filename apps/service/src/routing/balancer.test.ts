import { describe, expect, it } from 'vitest'
import { Balancer } from './balancer.ts'

const members = ['a', 'b', 'c'].map((name) => ({ name }))
const [a, b, c] = members

describe('the balancer', () => {
  it('takes turns among members that are equally loaded', () => {
    const balancer = new Balancer<{ name: string }>(() => 0)
    const chosen = Array.from({ length: 300 }, () => {
      const member = balancer.choose(members, [])
      if (member !== undefined) balancer.begin(member)('success')
      return member?.name
    })
    for (const name of ['a', 'b', 'c']) expect(chosen.filter((one) => one === name)).toHaveLength(100)
  })

  it('prefers the member with the fewest requests under way', () => {
    const balancer = new Balancer<{ name: string }>(() => 0)
    for (const member of [a!, a!, b!]) balancer.begin(member)
    expect(balancer.choose(members, [])).toBe(c)
    balancer.begin(c!)
    balancer.begin(c!)
    expect(balancer.choose(members, [])).toBe(b)
  })

  it('leaves a member out after three failures in a row, longer each time, until it succeeds', () => {
    let now = 0
    const balancer = new Balancer<{ name: string }>(() => now)
    const isChosen = () => Array.from({ length: 6 }, () => balancer.choose([a!, b!], [])).includes(a)
    const failThrice = () => {
      for (let time = 0; time < 3; time += 1) balancer.begin(a!)('failure')
    }
    failThrice()
    expect(isChosen()).toBe(false)
    now = 10_000
    expect(isChosen()).toBe(true)
    failThrice()
    now = 20_000
    expect(isChosen()).toBe(false)
    now = 30_000
    expect(isChosen()).toBe(true)
    balancer.begin(a!)('success')
    failThrice()
    now = 40_000
    expect(isChosen()).toBe(true)
  })

  it('gives out nobody twice in one request, and an ejected member rather than nobody', () => {
    const balancer = new Balancer<{ name: string }>(() => 0)
    for (let time = 0; time < 3; time += 1) balancer.begin(a!)('failure')
    expect(balancer.choose([a!, b!], [b!])).toBe(a)
    expect(balancer.choose([a!, b!], [a!, b!])).toBeUndefined()
    expect(balancer.choose([], [])).toBeUndefined()
  })
})
