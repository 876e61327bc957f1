import { STATUS_CODES } from 'node:http'
import type { ServiceError } from '@tunnel/models'
import type { ResponseHead } from '../http1/response-head.ts'

/** The header that names the code of a failure, so that programs need not read the page. */
const codeHeader = 'Service-Error-Code'

/** The page of a failure: HTML for who asks for it, JSON for everybody else. */
export function failureReply(error: ServiceError, accept: string | undefined): { head: ResponseHead; body: Buffer } {
  const page = accept !== undefined && /\btext\/html\b/i.test(accept) ? htmlPage(error) : jsonPage(error)
  const body = Buffer.from(page.text)
  const { status, retryable } = error.definition
  const headers = ['Content-Type', page.type, 'Content-Length', String(body.length), 'Cache-Control', 'no-store']
  headers.push(codeHeader, codeOf(error), 'X-Content-Type-Options', 'nosniff')
  if (retryable) headers.push('Retry-After', '1')
  return { head: { status, reason: STATUS_CODES[status] ?? '', headers }, body }
}

function codeOf(error: ServiceError): string {
  return `ERR_SERVICE_${error.definition.code}`
}

function jsonPage(error: ServiceError): { type: string; text: string } {
  const { status } = error.definition
  const body = { error_code: codeOf(error), status_code: status, msg: error.message, details: {} }
  return { type: 'application/json', text: `${JSON.stringify(body)}\n` }
}

function htmlPage(error: ServiceError): { type: string; text: string } {
  const title = escapeHtml(`${error.definition.status} ${STATUS_CODES[error.definition.status] ?? ''}`)
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
body { margin: 15vh auto; max-width: 36rem; padding: 0 1.5rem; font: 1rem/1.5 system-ui, sans-serif; color-scheme: light dark; overflow-wrap: anywhere }
h1 { font-size: 1.5rem }
code { opacity: .7 }
</style>
</head>
<body>
<h1>${title}</h1>
<p>${escapeHtml(error.message)}</p>
<p><code>${codeOf(error)}</code></p>
</body>
</html>
`
  return { type: 'text/html; charset=utf-8', text }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
