declare const wireForm: unique symbol

/**
 * A domain name as its wire octets (RFC 1035 3.1), one character per octet, A-Z lower-cased, ending in the root's zero octet.
 * Unlike dotted text it is unambiguous for every label, and cutting at a label border is a slice.
 */
export type WireName = string & { readonly [wireForm]: true }

export const rootName = '\0' as WireName

const nameMaxOctets = 255
const labelMaxOctets = 63

/** The wire form of `a.example`, with or without a final dot. Throws `RangeError` on an empty or too long label or name. */
export function toWireName(text: string): WireName {
  if (text === '.' || text === '') return rootName
  const labels = text.replace(/\.$/, '').split('.')
  const name = labels.map(toWireLabel).join('') + rootName
  if (name.length > nameMaxOctets) throw new RangeError(`domain name of ${name.length} octets`)
  return lowerCased(name)
}

/** The dotted text of a name that came from `toWireName`, without a final dot. */
export function toText(name: WireName): string {
  const labels: string[] = []
  for (let rest = name; rest !== rootName; rest = parentOf(rest)) labels.push(rest.slice(1, 1 + rest.charCodeAt(0)))
  return labels.join('.')
}

/** Only A-Z have a case in DNS (RFC 4343); other octets are compared as they are. */
export function lowerCased(octets: string): WireName {
  return octets.replaceAll(/[A-Z]+/g, (upper) => upper.toLowerCase()) as WireName
}

/** The name without its first label; the root is its own parent. */
export function parentOf(name: WireName): WireName {
  return name === rootName ? rootName : (name.slice(1 + name.charCodeAt(0)) as WireName)
}

export function isWithin(name: WireName, ancestor: WireName): boolean {
  let rest = name
  while (rest.length > ancestor.length) rest = parentOf(rest)
  return rest === ancestor
}

/** `*.name`: where a wildcard below `name` is stored (RFC 4592). */
export function wildcardBelow(name: WireName): WireName {
  return `\u0001*${name}` as WireName
}

function toWireLabel(label: string): string {
  if (label.length === 0 || label.length > labelMaxOctets) throw new RangeError(`label of ${label.length} octets`)
  return String.fromCharCode(label.length) + label
}
