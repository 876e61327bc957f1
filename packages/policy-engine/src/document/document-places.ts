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

  /** Of the value at a path, or of the nearest that is around it when something is missing there. */
  find(path: string): TextPosition | undefined {
    const node = this.#nodes.get(path)
    if (node !== undefined) return positionAt(this.#text, entryOf(node).offset)
    const outer = path.replace(/(?:\.\w+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])$/, '')
    return outer === path ? undefined : this.find(outer)
  }
}

/** A member of an object begins with its key. */
function entryOf(node: Node): Node {
  return node.parent?.type === 'property' ? node.parent : node
}
