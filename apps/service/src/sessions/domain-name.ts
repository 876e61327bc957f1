import { ServiceError } from '@tunnel/models'

const NAME_MAX_BYTES = 253
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** The lower-case form of a domain name, with or without `*.` in front. Throws `bind_name_invalid`. */
export function parseDomainName(text: string): string {
  const name = text.toLowerCase()
  const problem = problemOf(name)
  if (problem) throw new ServiceError('bind_name_invalid', { name: text.slice(0, NAME_MAX_BYTES), problem })
  return name
}

function problemOf(name: string): string | null {
  if (name.length > NAME_MAX_BYTES) return `is longer than ${NAME_MAX_BYTES} characters`
  const labels = name.split('.')
  if (labels[0] === '*') labels.shift()
  if (labels.length < 2) return 'has fewer than two labels'
  const wrong = labels.find((label) => !LABEL.test(label))
  if (wrong === undefined) return null
  if (wrong.includes('*')) return 'has a * that is not the whole first label'
  return 'has a label that is not 1 to 63 of a-z, 0-9 and inner hyphens'
}
