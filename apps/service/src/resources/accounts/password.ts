import { type ScryptOptions, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

const hashBytes = 32
const saltBytes = 16
/** About 60 ms and 64 MB for each attempt. */
const cost = { N: 2 ** 16, r: 8, p: 1 }
const memoryMaxBytes = 256 * 1024 * 1024

/** `scrypt$N$r$p$salt$hash`; the parameters stand beside the hash so that they can grow. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/** Takes as long for a stored value that cannot match. */
export async function matchesPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = stored.split('$')
  const expected = Buffer.from(hash, 'base64')
  const given = await derive(password, Buffer.from(salt, 'base64'), { N: Number(N), r: Number(r), p: Number(p) })
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function derive(password: string, salt: Buffer, parameters: ScryptOptions): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  scrypt(password.normalize('NFKC'), salt, hashBytes, { ...parameters, maxmem: memoryMaxBytes }, (error, key) => {
    if (error === null) resolve(key)
    else reject(error)
  })
  return promise
}
