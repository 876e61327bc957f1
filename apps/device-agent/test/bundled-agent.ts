import { join } from 'node:path'
import { type RunningProcess, startProcess } from '@tunnel/testkit'
import { inject } from 'vitest'
import type { AgentEnd } from '../src/remote-management.ts'
import { oldestAgentNode } from './agent-nodes.ts'
import type { AgentStarter } from './agent-fixture.ts'
import { isThorough } from './thorough.ts'

export interface StartedBundle {
  readonly process: RunningProcess
  readonly apiUrl: string
}

/** The agent as devices run it, by its launcher; settles when the local API is up. */
export async function startBundle(node: string, env: Readonly<Record<string, string>>): Promise<StartedBundle> {
  return announced(await startProcess(node, [join(inject('bundleDir'), 'launcher.mjs'), 'run'], { env }))
}

export async function announced(running: RunningProcess): Promise<StartedBundle> {
  const [, apiUrl = ''] = await running.waitForOutput(/listening local-api (\S+)\nready/)
  return { process: running, apiUrl }
}

const startOnOldestNode: AgentStarter = async (env) => {
  const { process: running, apiUrl } = await startBundle(oldestAgentNode.path, env)
  const told = running.exited.then(({ code }): AgentEnd => (code === 0 ? 'stop' : 'restart'))
  return { apiUrl, told, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() }
}

/** What a suite runs on: an agent in this process; in thorough runs also the bundle, on the oldest Node. */
export const agentKinds: readonly { readonly name: string; readonly start: AgentStarter | undefined }[] = [
  { name: 'an agent in this process', start: undefined },
  ...(isThorough ? [{ name: `the bundle on ${oldestAgentNode.name}`, start: startOnOldestNode }] : []),
]
