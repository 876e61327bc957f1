import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startService } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curl } from '../../src/curl.ts'
import { eventually } from '../../src/eventually.ts'
import { Stack } from '../../src/stack.ts'
import { isThorough } from '../../src/thorough.ts'

let stack: Stack
let host: string

if (isThorough) {
  beforeAll(async () => {
    stack = await Stack.start()
    await stack.publish('older')
    host = await stack.publish('newer')
  })
  afterAll(() => stack[Symbol.asyncDispose]())
}

const storeFile = (): string => join(stack.agentSetup.stateDir, 'tunnels.json')

const damages: readonly { readonly name: string; readonly damage: (content: Buffer) => Buffer }[] = [
  { name: 'empty', damage: () => Buffer.alloc(0) },
  { name: 'cut short', damage: (content) => content.subarray(0, content.length / 2) },
  { name: 'full of NULs', damage: (content) => Buffer.alloc(content.length) },
  { name: 'of another shape', damage: () => Buffer.from('{"version":1,"records":{"a":1}}') },
]

describe.runIf(isThorough).each(damages)('an agent whose store is $name', ({ damage }) => {
  it('starts from the last good copy and keeps the damaged file', async () => {
    await stack.agent[Symbol.asyncDispose]()
    const damaged = damage(await readFile(storeFile()))
    await writeFile(storeFile(), damaged)
    await stack.restartAgent()
    await eventually(async () => expect((await curl(stack.httpUrl(`older.${stack.service.zone}`))).status).toBe(200))
    const names = await readdir(stack.agentSetup.stateDir)
    const aside = names.filter((name) => name.includes('corrupt'))
    const contents = await Promise.all(aside.map((name) => readFile(join(stack.agentSetup.stateDir, name))))
    expect(contents.some((content) => content.equals(damaged))).toBe(true)
    // Both copies good again for the next damage.
    if (!(await listedDomains()).includes(host)) await stack.publish('newer')
    await stack.publish(`extra-${names.length}`)
  })
})

it.runIf(isThorough)(
  'a service whose database is damaged refuses to start, says which file, and leaves it as it is',
  async () => {
    await stack.service[Symbol.asyncDispose]()
    const name = (await readdir(stack.serviceDataDir)).find((file) => /\.(db|sqlite3?)$/.test(file)) ?? ''
    const file = join(stack.serviceDataDir, name)
    const good = await readFile(file)
    const damaged = Buffer.concat([Buffer.alloc(4096, 0xaa), good.subarray(4096)])
    await writeFile(file, damaged)
    await expect(startService({ dataDir: stack.serviceDataDir })).rejects.toThrow(name)
    expect((await readFile(file)).equals(damaged)).toBe(true)
    await writeFile(file, good)
    await stack.restartService()
    await eventually(async () => expect((await curl(stack.httpUrl(host))).status).toBe(200))
  },
)

async function listedDomains(): Promise<string[]> {
  const records = JSON.parse((await curl(`${stack.agent.apiUrl}/tunnels`)).body) as { domain: string }[]
  return records.map(({ domain }) => domain)
}
