import { isScalar, parseDocument, visit, type YAMLMap } from 'yaml'

/** Larger ones may be JSON, which is read in a thousandth of the time. */
const yamlMaxChars = 64 * 1024
const yamlMaxDepth = 64

/** Reads a policy in JSON or YAML. Throws an Error that says what is wrong with the text. */
export function readPolicyText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return readYaml(text)
  }
}

/** What to tell about a text that could not be read. */
export function unreadable(error: unknown): string {
  return `the text is neither JSON nor YAML: ${error instanceof Error ? error.message.split('\n')[0] : ''}`
}

function readYaml(text: string): unknown {
  if (text.length > yamlMaxChars) throw new Error(`YAML has at most ${yamlMaxChars} characters; JSON may be longer`)
  refuseDeep(text)
  // The library's own check of the keys compares each with each.
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'error' })
  const [error] = document.errors
  if (error) throw error
  visit(document, { Map: (_key, map) => refuseRepeatedKeys(map) })
  return document.toJS()
}

function refuseDeep(text: string): void {
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1)
    if (depth > yamlMaxDepth) throw new Error(`brackets nest at most ${yamlMaxDepth} deep`)
  }
}

function refuseRepeatedKeys({ items }: YAMLMap): void {
  const names = new Set<unknown>()
  for (const { key } of items) {
    const name = isScalar(key) ? String(key.value) : key
    if (names.has(name)) throw new Error(`the key '${String(name)}' occurs twice`)
    names.add(name)
  }
}
