import type { Node } from 'jsonc-parser'
import { positionAt, type TextPosition } from './problem.ts'

/** Where the values of a document stand in its text, by their JSON paths. */
export class DocumentPlaces {
  readonly #text: string
  readonly #nodes = new Map<string, Node>()

  constructor(text: string) {
    this.#text = text
  }

  add(path: string, node: Node): void {
    this.#nodes.set(path, node)
  }

  /** Of a place within the string at a path; of the entry at the path; or of the nearest around it when something is missing there. */
  find(path: string, within?: TextPosition): TextPosition | undefined {
    const node = this.#nodes.get(path)
    if (node !== undefined) return positionAt(this.#text, within ? this.#within(node, within.offset) : startOf(node))
    const outer = path.replace(/(?:\.\w+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])$/, '')
    return outer === path ? undefined : this.find(outer)
  }

  /** A character of the string may be an escape of two or six in the text. */
  #within({ offset, length }: Node, charsBefore: number): number {
    const literal = this.#text.slice(offset + 1, offset + length - 1)
    const units = literal.match(/\\u[0-9a-f]{4}|\\?[^]/gi) ?? []
    return offset + 1 + units.slice(0, charsBefore).join('').length
  }
}

/** A member of an object begins with its key. */
function startOf({ offset, parent }: Node): number {
  return parent?.type === 'property' ? parent.offset : offset
}
