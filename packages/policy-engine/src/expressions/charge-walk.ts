import { type CelValue, isCelList, isCelMap } from '@bufbuild/cel'
import { charge } from './budget.ts'

const nanosecondsPerCharacter = 10
const nanosecondsPerMember = 100

/** Takes the cost of walking over a value once, as it walks: lists within lists that share members have no bound of their own. */
export function chargeWalk(value: CelValue): void {
  if (typeof value === 'string' || value instanceof Uint8Array) return charge(value.length * nanosecondsPerCharacter)
  if (isCelList(value)) {
    charge(value.size * nanosecondsPerMember)
    for (const item of value) chargeWalk(item)
  } else if (isCelMap(value)) {
    charge(value.size * nanosecondsPerMember)
    for (const item of value.values()) chargeWalk(item)
  }
}
