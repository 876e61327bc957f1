import { randomInt } from 'node:crypto'

/** An address of 127/8 that no other test is likely to use at the same time. */
export function loopbackAddress(): string {
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
}
