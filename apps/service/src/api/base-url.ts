import type { FastifyRequest } from 'fastify'

/**
 * What `uri` fields of a reply begin with: the configured base, or the address that the caller itself used, since
 * clients follow `next_page_uri` and refuse one that leads elsewhere.
 */
export function baseUrlOf(request: FastifyRequest, configured: string | null): string {
  // HTTP/2 names the host in `:authority`, where only `request.host` looks as well.
  const { host } = request
  if (configured?.endsWith(`://${host}`) === true) return configured
  if (!isHost(host)) return configured ?? 'http://localhost'
  return `${request.protocol}://${host}`
}

function isHost(text: string): boolean {
  return /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i.test(text)
}
