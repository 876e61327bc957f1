import { createHash } from 'node:crypto'
import { type ErrorDefinition, errorDefinitions } from '@tunnel/models'
import type { FastifyInstance } from 'fastify'
import { errorCode } from './brand.ts'

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
dt { margin-top: 1.5rem; font-weight: 600; scroll-margin-top: 1rem }
dt:target { outline: 2px solid; outline-offset: 4px }
dt a { color: inherit }
dd { margin: 0 }
small { opacity: 0.8 }`

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${sha256(style)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
}

const owners: Readonly<Record<ErrorDefinition['owner'], string>> = {
  caller: 'the caller',
  visitor: 'the visitor',
  agent: 'whoever runs the agent',
  upstream: 'whoever runs the program behind the tunnel',
  service: 'whoever runs the service',
}

/**
 * `GET /docs/errors`: what every error means, from the catalogue, for people without the internet. An error stands at
 * the anchor that is its code in lower case (`#err_service_215`), and at the bare number (`#215`).
 */
export function errorPageRoute(app: FastifyInstance): void {
  const page = errorPage()
  app.get('/docs/errors', { schema: { hide: true } }, (_request, reply) => reply.headers(headers).send(page))
}

function errorPage(): string {
  const rows = Object.values(errorDefinitions).flatMap((row) => (row.code === null ? [] : [entry(row.code, row)]))
  const entries = rows.toSorted((a, b) => a.code - b.code).map(({ html }) => html)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Errors</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><main><h1>Errors</h1>
<p>Words in braces stand for what the error names when it happens.</p>
<dl>
${entries.join('\n')}
</dl></main></body></html>
`
}

function entry(code: number, { status, owner, retryable, msg }: ErrorDefinition): { code: number; html: string } {
  const name = errorCode({}, code)
  const anchor = name.toLowerCase()
  const again = retryable ? 'The same request may succeed later.' : 'The same request will not succeed later.'
  return {
    code,
    html: `<dt id="${anchor}"><a id="${code}" href="#${anchor}">${name}</a></dt>
<dd>${escapeHtml(msg)}<br><small>Status ${status}. To be solved by ${owners[owner]}. ${again}</small></dd>`,
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
