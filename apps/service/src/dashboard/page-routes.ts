import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** The component library sets one rule (touch-action) through a style element of its own; this is its hash. */
const libraryStyle = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='"

const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${libraryStyle}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

/** Serves the built pages below `/dashboard/`; every path that is no file is a page of the application. */
export async function pageRoutes(app: FastifyInstance, assetsDir: string): Promise<void> {
  const hidden = { schema: { hide: true } }
  app.get('/dashboard', hidden, (_request, reply) => reply.redirect('/dashboard/'))
  if (!existsSync(join(assetsDir, 'index.html'))) return notBuilt(app)
  await app.register(fastifyStatic, {
    root: assetsDir,
    prefix: '/dashboard/',
    index: false,
    preCompressed: true,
    wildcard: false,
    cacheControl: false,
    schemaHide: true,
    setHeaders: (reply, path) => {
      // Built files carry a hash of their content in their name; the others are asked for again.
      void reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
      void reply.header('x-content-type-options', 'nosniff')
    },
  })
  app.get('/dashboard/*', hidden, (_request, reply) => sendPage(reply))
}

function sendPage(reply: FastifyReply): FastifyReply {
  return reply.headers({ ...pageHeaders, 'cache-control': 'no-cache' }).sendFile('index.html')
}

function notBuilt(app: FastifyInstance): void {
  app.get('/dashboard/*', { schema: { hide: true } }, (_request, reply) =>
    reply
      .code(503)
      .type('text/plain')
      .send('The dashboard is not built. Run: npx turbo run build --filter=@tunnel/dashboard\n'),
  )
}
