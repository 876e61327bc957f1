import { CelScalar, celFunc } from '@bufbuild/cel'
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { TIMESTAMP } from '../cel-types.ts'

/** The language counts seconds since 1970 here, the library milliseconds. */
export const timeFunctions = [
  celFunc('timestamp', [CelScalar.INT], TIMESTAMP, (seconds): Timestamp => timestampFromMs(Number(seconds) * 1000)),
]
