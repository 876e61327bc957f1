import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isLocalhostName } from './ip-ranges.ts'

const loopbackAddresses: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** The system's resolver, but for `localhost` and names below it: not every system knows those, and none needs asking. */
export const lookup: LookupFunction = (host, options, callback) => {
  if (!isLocalhostName(host)) return systemLookup(host, options, callback)
  const wanted = loopbackAddresses.filter(({ family }) => !options.family || options.family === family)
  const [first = loopbackAddresses[0] as LookupAddress] = wanted
  process.nextTick(() => (options.all ? callback(null, [...wanted]) : callback(null, first.address, first.family)))
}
