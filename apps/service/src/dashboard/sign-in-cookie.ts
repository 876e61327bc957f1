import type { FastifyReply, FastifyRequest } from 'fastify'

/** Browsers accept a `__Host-` cookie from this very host only, so that no tunnel beside it can plant one. */
const cookieName = (isPrefixed: boolean) => (isPrefixed ? '__Host-sign-in' : 'sign-in')

/** The token, unless another site had a part in the request. */
export function readSignInCookie(request: FastifyRequest): string | undefined {
  return isFromOwnPages(request) ? request.cookies[cookieName(isSecure(request))] : undefined
}

export function setSignInCookie(request: FastifyRequest, reply: FastifyReply, token: string, maxAge: number): void {
  void reply.setCookie(cookieName(isSecure(request)), token, { ...attributes(request), maxAge })
}

export function clearSignInCookie(request: FastifyRequest, reply: FastifyReply): void {
  void reply.clearCookie(cookieName(isSecure(request)), attributes(request))
}

/**
 * Tunnels live on sibling names of the API, which SameSite counts as the same site. So the browser's own word on where a
 * request comes from decides: Sec-Fetch-Site, or the Origin header of browsers without it.
 */
export function isFromOwnPages({ headers, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  return origin === undefined || URL.parse(origin)?.host === host
}

function attributes(request: FastifyRequest) {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure(request) } as const
}

/** The API is reached in clear only on the machine itself; by name it comes through the edge's TLS. */
function isSecure(request: FastifyRequest): boolean {
  return request.protocol === 'https' || 'encrypted' in request.raw.socket
}
