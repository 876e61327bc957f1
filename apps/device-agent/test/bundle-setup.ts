import { tempDir } from '@tunnel/testkit'
import type { TestProject } from 'vitest/node'
import { buildBundle } from '../packaging/build-bundle.ts'
import { buildFacts } from '../src/build-facts.ts'
import { isThorough } from './thorough.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Holds `agent.mjs` and `launcher.mjs`, in thorough runs. */
    bundleDir: string
  }
}

/** Builds the bundle once for all test files. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!isThorough) return undefined
  const dir = await tempDir()
  await buildBundle(dir.path, buildFacts)
  project.provide('bundleDir', dir.path)
  return async () => dir[Symbol.asyncDispose]()
}
