import { ApiError, toApiError } from './api-error.ts'

const requestTimeoutMs = 30_000

/**
 * One call of the management API with the session cookie. The version header is not a simple header, so no other
 * site can make a browser send this request.
 */
export async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { 'service-version': '2', accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const response = await send(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const text = await response.text()
  if (!response.ok) throw toApiError(response.status, text)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, credentials: 'same-origin', signal: AbortSignal.timeout(requestTimeoutMs) })
  } catch (cause) {
    throw new ApiError(0, `The service did not answer. Check that it runs and try again. (${String(cause)})`)
  }
}
