import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { readonly type: 'minor' | 'major'; readonly execution?: 'async' }) => unknown

/** V8's collector, for memory outside the heap that V8 does not weigh. It is given only to contexts made while the flag is set. */
export function exposedCollector(): Collect {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return collect
}
