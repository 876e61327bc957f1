import { CelScalar, celFunc, celMethod, listType } from '@bufbuild/cel'
import { isPrivateIpv4 } from '../../net/address.ts'
import { isInCidr } from '../../net/cidr-set.ts'
import { charge } from '../budget.ts'

const { STRING, BOOL } = CelScalar
const cidrCheckNanoseconds = 2_000

/** An invalid block counts as one that holds nothing. */
export const networkFunctions = [
  celFunc('inCidrRange', [STRING, STRING], BOOL, isInCidr),
  celFunc('inCidrRanges', [STRING, listType(CelScalar.DYN)], BOOL, (address, blocks) => {
    charge(blocks.size * cidrCheckNanoseconds)
    return [...blocks].some((block) => typeof block === 'string' && isInCidr(address, block))
  }),
  celMethod('isPrivateIp', STRING, [], BOOL, function () {
    return isPrivateIpv4(this)
  }),
]
