import { CelScalar, celFunc } from '@bufbuild/cel'

const { INT, DOUBLE } = CelScalar

/** Name of the internal variable that feeds these functions: a fresh number at every use. */
export const randomVariable = '@random'

function between(random: number, min: bigint, max: bigint): bigint {
  if (max < min) throw new Error('the upper end is below the lower one')
  return min + BigInt(Math.floor(random * Number(max - min + 1n)))
}

/** The rewriting adds the first argument. */
export const randomFunctions = [
  celFunc('rand.double', [DOUBLE], DOUBLE, (random) => random),
  celFunc('rand.int', [DOUBLE], INT, (random) => between(random, 0n, 1n)),
  celFunc('rand.int', [DOUBLE, INT, INT], INT, between),
]
