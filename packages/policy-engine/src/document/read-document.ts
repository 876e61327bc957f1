import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { limits } from './limits.ts'
import { DocumentPlaces } from './document-places.ts'
import { childPath, type Findings, positionAt } from './problem.ts'

/** JSON as it came from outside. Objects have no prototype, so no key has a meaning of its own. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Reads a document from its text or from an already parsed value. Undefined when it cannot be read at all. */
export function readDocument(document: unknown, findings: Findings): JsonValue | undefined {
  return typeof document === 'string' ? readText(document, findings) : readValue(document, findings)
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readText(text: string, findings: Findings): JsonValue | undefined {
  if (Buffer.byteLength(text) > limits.documentMaxBytes) return tooLarge(findings)
  const tooDeepAt = findTooDeep(text)
  if (tooDeepAt !== undefined) return tooDeep(findings, tooDeepAt === 0 ? undefined : positionAt(text, tooDeepAt))
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
  for (const { error, offset } of errors) {
    findings.refuse(
      '$',
      'bad_document',
      `the document is not JSON: ${inWords(printParseErrorCode(error))}`,
      positionAt(text, offset),
    )
  }
  if (errors.length > 0 || !root) return undefined
  const places = new DocumentPlaces(text)
  findings.placeOf = (path, within) => places.find(path, within)
  return fromNode(root, '$', places, findings)
}

/** `ValueExpected` as `value expected`. */
function inWords(name: string): string {
  return name.replaceAll(/(?!^)[A-Z]/g, ' $&').toLowerCase()
}

function findTooDeep(text: string): number | undefined {
  let depth = 0
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (match[0] === '[' || match[0] === '{') depth++
    else if (match[0] === ']' || match[0] === '}') depth--
    if (depth > limits.documentMaxDepth) return match.index
  }
  return undefined
}

function fromNode(node: Node, path: string, places: DocumentPlaces, findings: Findings): JsonValue {
  places.add(path, node)
  if (node.type === 'array')
    return (node.children ?? []).map((child, index) => fromNode(child, childPath(path, index), places, findings))
  if (node.type !== 'object') return node.value as JsonValue
  const object: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>
  for (const property of node.children ?? []) {
    const [keyNode, valueNode] = property.children ?? []
    const key = String(keyNode?.value)
    if (!valueNode) continue
    const isRepeated = key in object
    object[key] = fromNode(valueNode, childPath(path, key), places, findings)
    if (isRepeated) findings.refuse(childPath(path, key), 'bad_document', `the key '${key}' occurs twice`)
  }
  return object
}

function readValue(value: unknown, findings: Findings): JsonValue | undefined {
  if (depthOf(value) > limits.documentMaxDepth) return tooDeep(findings)
  const text = JSON.stringify(value) ?? 'null'
  if (Buffer.byteLength(text) > limits.documentMaxBytes) return tooLarge(findings)
  return copy(value)
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > limits.documentMaxDepth) return depth
  let deepest = depth + 1
  for (const child of Object.values(value)) deepest = Math.max(deepest, depthOf(child, depth + 1))
  return deepest
}

function copy(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== 'object' || value === null) return value as JsonValue
  const object: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>
  for (const [key, child] of Object.entries(value)) if (child !== undefined) object[key] = copy(child)
  return object
}

function tooLarge(findings: Findings): undefined {
  findings.refuse('$', 'too_long', `a policy has at most ${limits.documentMaxBytes} bytes`)
}

function tooDeep(findings: Findings, position?: ReturnType<typeof positionAt>): undefined {
  findings.refuse('$', 'too_complex', `a policy nests at most ${limits.documentMaxDepth} deep`, position)
}
