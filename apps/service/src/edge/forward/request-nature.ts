import { headerValue } from '../headers/header-list.ts'
import type { RequestHead } from '../http1/request-head.ts'

/** Methods that may be sent twice (RFC 9110 9.2.2). */
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

export function isIdempotent({ method }: RequestHead): boolean {
  return idempotentMethods.has(method)
}

export function isGrpc({ headers }: RequestHead): boolean {
  return headerValue(headers, 'content-type')?.startsWith('application/grpc') === true
}
