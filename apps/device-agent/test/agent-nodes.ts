import { oldestNode } from '@tunnel/oldest-node'
import { isThorough } from './thorough.ts'

/** The Node that an agent process is run on. */
export interface AgentNode {
  readonly name: string
  readonly path: string
}

const own: AgentNode = { name: 'this Node', path: process.execPath }
const oldest: readonly AgentNode[] = oldestNode === null ? [] : [{ name: 'the oldest Node', path: oldestNode }]

/** This one; in thorough runs the oldest line that is supported as well. */
export const agentNodes: readonly AgentNode[] = isThorough ? [own, ...oldest] : [own]

/** What the bundle is tried on where there is time for one. */
export const [oldestAgentNode = own] = oldest
