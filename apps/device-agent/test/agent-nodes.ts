import { runProcess } from '@tunnel/testkit'
import { isThorough } from './thorough.ts'

/** The Node that an agent process is run on. */
export interface AgentNode {
  readonly name: string
  readonly path: string
}

const own: AgentNode = { name: 'this Node', path: process.execPath }

/** This one, and the oldest line that is supported where one is found: TEST_AGENT_NODE names it, or it is the system's. */
export async function agentNodes(): Promise<readonly AgentNode[]> {
  const path = process.env['TEST_AGENT_NODE'] ?? '/usr/bin/node'
  const version = await runProcess(path, ['--version']).catch(() => '')
  const isOther = path !== process.execPath && Number(/^v(\d+)/.exec(version)?.[1]) >= 20
  return isOther && (isThorough || process.env['TEST_AGENT_NODE'])
    ? [own, { name: `Node ${version.trim()}`, path }]
    : [own]
}
