import * as nodeFiles from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DurableFile } from './durable-file.ts'
import type { FileSystem } from './file-system.ts'

interface Note {
  readonly note: string
}

let directory = ''
let path = ''
let damage: string[] = []

beforeEach(async () => {
  directory = await nodeFiles.mkdtemp(join(tmpdir(), 'store-'))
  path = join(directory, 'notes.json')
  damage = []
})

afterEach(() => nodeFiles.rm(directory, { recursive: true }))

function open(files?: FileSystem): DurableFile<Note> {
  return new DurableFile({
    path,
    parse: parseNote,
    onDamage: (problem) => damage.push(problem),
    ...(files && { files }),
  })
}

function parseNote(json: unknown): Note {
  const { note } = json as Partial<Note>
  if (typeof note !== 'string') throw new Error('no note')
  return { note }
}

async function writeBoth(first: string, second: string): Promise<void> {
  const file = open()
  await file.write({ note: first })
  await file.write({ note: second })
}

it('keeps a document that only the owner can read, and the one before', async () => {
  await writeBoth('one', 'two')
  expect(await open().read()).toEqual({ note: 'two' })
  expect(JSON.parse(await nodeFiles.readFile(`${path}.bak`, 'utf8'))).toEqual({ note: 'one' })
  expect((await nodeFiles.stat(path)).mode & 0o777).toBe(0o600)
  expect((await nodeFiles.readdir(directory)).sort()).toEqual(['notes.json', 'notes.json.bak'])
})

it('does not touch the disk for equal content, also after a start', async () => {
  await writeBoth('one', 'two')
  const before = await nodeFiles.stat(path)
  const file = open()
  await file.read()
  await file.write({ note: 'two' })
  expect((await nodeFiles.stat(path)).ino).toBe(before.ino)
})

describe('a damaged file is set aside and the copy before is used', () => {
  it.each([
    ['of zero length', ''],
    ['filled with NUL', '\0'.repeat(200)],
    ['cut off', '{"note": "tw'],
    ['of another shape', '{"other": 1}'],
    ['of null', 'null'],
  ])('%s', async (_, content) => {
    await writeBoth('one', 'two')
    await nodeFiles.writeFile(path, content)
    const file = open()
    expect(await file.read()).toEqual({ note: 'one' })
    expect(await nodeFiles.readFile(`${path}.corrupt-1`, 'utf8')).toBe(content)
    expect(damage).toHaveLength(2)
    await file.write({ note: 'one' })
    expect(await open().read()).toEqual({ note: 'one' })
  })
})

it('starts empty when file and backup are damaged, and keeps both', async () => {
  await writeBoth('one', 'two')
  await nodeFiles.writeFile(path, '')
  await nodeFiles.writeFile(`${path}.bak`, '')
  expect(await open().read()).toBeNull()
  expect((await nodeFiles.readdir(directory)).sort()).toEqual(['notes.json.bak.corrupt-1', 'notes.json.corrupt-1'])
})

it('keeps at most five damaged files', async () => {
  for (let round = 0; round < 7; round += 1) {
    await nodeFiles.writeFile(path, `damaged ${round}`)
    await open().read()
  }
  expect(await nodeFiles.readdir(directory)).toHaveLength(5)
})

it('uses a finished write that was never put in place when nothing else is whole, and cleans up', async () => {
  await nodeFiles.writeFile(path, '')
  await nodeFiles.writeFile(`${path}.77.1.tmp`, '{"note": "rescued"}')
  expect(await open().read()).toEqual({ note: 'rescued' })
  expect(await nodeFiles.readdir(directory)).toEqual(['notes.json.corrupt-1'])
})

describe('stopped at any step of a write, the reader finds the old or the new document', () => {
  it.each(['open', 'rm', 'link', 'rename'] as const)('at %s', async (step) => {
    await open().write({ note: 'old' })
    const file = open(failingAt(step, 'EIO'))
    await file.read()
    await file.write({ note: 'new' }).catch(() => undefined)
    expect(['old', 'new']).toContain((await open().read())?.note)
  })
})

it.each(['ENOSPC', 'EROFS', 'EACCES'])(
  'reports %s, leaves the old document, and works again afterwards',
  async (code) => {
    await open().write({ note: 'old' })
    let isFailing = true
    const file = open(failingAt('open', code, () => isFailing))
    await file.read()
    await expect(file.write({ note: 'new' })).rejects.toMatchObject({ code })
    expect(await open().read()).toEqual({ note: 'old' })
    isFailing = false
    await file.write({ note: 'new' })
    expect(await open().read()).toEqual({ note: 'new' })
  },
)

it('survives a directory that cannot be read', async () => {
  const refuse = () => Promise.reject(Object.assign(new Error('refused'), { code: 'EACCES' }))
  expect(await open({ ...nodeFiles, readFile: refuse, readdir: refuse }).read()).toBeNull()
  expect(damage).toContain(`cannot read ${basename(path)}: EACCES`)
})

function failingAt(step: keyof FileSystem, code: string, isFailing = () => true): FileSystem {
  const original = nodeFiles[step] as (...args: unknown[]) => Promise<unknown>
  const faulty = (...args: unknown[]) =>
    isFailing() ? Promise.reject(Object.assign(new Error(code), { code })) : original(...args)
  return { ...nodeFiles, [step]: faulty }
}
