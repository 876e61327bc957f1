import { SocketAddress, isIP } from 'node:net'

export type HostPrincipalMistake = 'empty' | 'too_long' | 'character' | 'port'

const principalMaxBytes = 255

/**
 * The one spelling of a host name or address that an OpenSSH client compares with: lower case, no trailing dot,
 * addresses in canonical form (RFC 5952), never a port. Anything that no client could match is a mistake.
 */
export function canonicalHostPrincipal(text: string): { principal: string } | { mistake: HostPrincipalMistake } {
  if (isIP(text) !== 0 && !text.includes('%')) return { principal: canonicalAddress(text) }
  const principal = text.toLowerCase().replace(/\.$/, '')
  const mistake = mistakeIn(principal)
  return mistake ? { mistake } : { principal }
}

function canonicalAddress(text: string): string {
  return new SocketAddress({ address: text, family: isIP(text) === 6 ? 'ipv6' : 'ipv4' }).address
}

function mistakeIn(principal: string): HostPrincipalMistake | undefined {
  if (principal === '') return 'empty'
  if (Buffer.byteLength(principal) > principalMaxBytes) return 'too_long'
  if (!/^[\x21-\x2b\x2d-\x7e]+$/.test(principal)) return 'character'
  return /[:[\]]/.test(principal) ? 'port' : undefined
}
