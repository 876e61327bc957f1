import { isIP } from 'node:net'
import { ServiceError } from '@tunnel/models'

const nameMaxBytes = 255

/** Throws for options that no server could read; a certificate that carries one would be refused at every login. */
export function checkOptions(
  field: 'critical_options' | 'extensions',
  options: Readonly<Record<string, string>>,
): void {
  for (const [name, text] of Object.entries(options)) {
    const problem = problemWith(name, text)
    if (problem !== undefined)
      throw new ServiceError('field_invalid', { field: `${field}.${name.slice(0, 80)}`, problem })
  }
}

function problemWith(name: string, text: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(name) || name.length > nameMaxBytes)
    return `must have a name of 1 to ${nameMaxBytes} visible ASCII characters`
  if (text.includes('\0')) return 'must not contain NUL'
  if (name === 'force-command' && text === '') return 'must hold a command'
  if (name === 'source-address' && !text.split(',').every(isAddressRange))
    return 'must hold addresses or CIDR ranges, separated by commas'
  return undefined
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}
