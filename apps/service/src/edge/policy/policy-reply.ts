import { STATUS_CODES } from 'node:http'
import type { Outcome } from '@tunnel/policy-engine'
import type { Reply } from '../exchange.ts'

const statusesWithoutBody = new Set([204, 304])

/** The answer of a policy, complete with its framing. */
export function replyOf({ status, headers, body }: Extract<Outcome, { kind: 'respond' }>, method: string): Reply {
  const bytes = Buffer.from(body)
  const framing = statusesWithoutBody.has(status) ? [] : ['content-length', String(bytes.length)]
  const head = { status, reason: STATUS_CODES[status] ?? '', headers: [...headers.flat(), ...framing] }
  return { head, body: method === 'HEAD' ? Buffer.alloc(0) : bytes }
}
