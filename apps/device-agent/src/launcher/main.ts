#!/usr/bin/env node
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildFacts } from '../build-facts.ts'
import { readStateDir } from '../config.ts'
import { readBootId } from '../session/identity.ts'
import { DurableFile } from '../store/durable-file.ts'
import { ReleaseFiles } from '../update/release-files.ts'
import { planBoot } from '../update/transitions.ts'
import { initialUpdateState, parseUpdateState, type Release } from '../update/update-state.ts'
import { watchStart } from './start-watch.ts'

/** What every version of the agent must export, for every version of this launcher. */
interface AgentBundle {
  readonly runProgram: (args: readonly string[], launch: { isLaunched: true; onReady: () => void }) => Promise<void>
}

const installedBundle = fileURLToPath(new URL('./agent.mjs', import.meta.url))
const args = process.argv.slice(2)
const isRun = (args[0] ?? 'run') === 'run'
const files = new ReleaseFiles(readStateDir(process.env))
// Commands by hand are often root's, and what the agent may write must never become root's code.
const { release, isTrial } = isRun ? await chooseRelease() : { release: null, isTrial: false }
const watch = isTrial ? watchStart(buildFacts.trial) : { onReady: () => undefined }
const bundle = pathToFileURL(release === null ? installedBundle : files.bundlePath(release))
const { runProgram } = (await import(bundle.href)) as AgentBundle
await runProgram(args, { isLaunched: true, onReady: watch.onReady })

/** The version to run, noted on the disk before it runs: without the note, a bad version would be tried for ever. */
async function chooseRelease(): Promise<{ release: Release | null; isTrial: boolean }> {
  const file = new DurableFile({ path: join(readStateDir(process.env), 'update.json'), parse: parseUpdateState })
  const state = (await file.read()) ?? initialUpdateState
  const facts = {
    bootId: await readBootId(''),
    installedVersion: buildFacts.version,
    isUsable: (candidate: Release) => files.isUsable(candidate),
  }
  const plan = planBoot(state, facts)
  const isChanged = JSON.stringify(plan.state) !== JSON.stringify(state)
  const isNoted =
    !isChanged ||
    (await file.write(plan.state).then(
      () => true,
      () => false,
    ))
  if (isNoted) return { release: plan.run, isTrial: plan.state.phase.kind === 'trial' }
  return { release: planBoot({ ...state, phase: { kind: 'idle' } }, facts).run, isTrial: false }
}
