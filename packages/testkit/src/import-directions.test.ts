import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importBreaches } from './import-directions.ts'

function sourceTree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'imports-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return root
}

it('accepts a tree that keeps its directions', () => {
  const root = sourceTree({
    'main.ts': "import { a } from './edge/a.ts'",
    'edge/a.ts': "import { b } from './b.ts'",
    'edge/b.ts': '',
  })
  expect(importBreaches(root, { main: '*', edge: [] })).toEqual([])
})

it('names an import that goes the wrong way, also a dynamic one', () => {
  const root = sourceTree({ 'edge/a.ts': "const s = import('../sessions/s.ts')", 'sessions/s.ts': '' })
  expect(importBreaches(root, { edge: [], sessions: [] })).toEqual([
    'edge/a.ts imports sessions/s.ts: edge may not import sessions',
  ])
})

it('names two files that import each other', () => {
  const root = sourceTree({ 'edge/a.ts': "import type { B } from './b.ts'", 'edge/b.ts': "import { a } from './a.ts'" })
  expect(importBreaches(root, { edge: [] })).toEqual(['edge/a.ts and edge/b.ts import each other'])
})

it('reads the files of a web page as well', () => {
  const root = sourceTree({ 'ui/a.tsx': "import { P } from '../pages/p.tsx'", 'pages/p.tsx': '' })
  expect(importBreaches(root, { ui: [], pages: [] })).toHaveLength(1)
})
