/** A stored resource, as far as routing needs it. */
export interface MirroredItem<Body> {
  readonly id: string
  readonly accountId: string
  readonly parentId: string | null
  readonly body: Body
}

export interface ItemSource<Body> {
  all(): Promise<readonly MirroredItem<Body>[]>
  find(id: string): Promise<MirroredItem<Body> | undefined>
}

/** All stored resources of one type in memory, kept current item by item. */
export class Mirror<Body> {
  readonly #source: ItemSource<Body>
  readonly #items = new Map<string, MirroredItem<Body>>()
  readonly #children = new Map<string, Map<string, MirroredItem<Body>>>()

  private constructor(source: ItemSource<Body>) {
    this.#source = source
  }

  static async load<Body>(source: ItemSource<Body>): Promise<Mirror<Body>> {
    const mirror = new Mirror(source)
    for (const item of await source.all()) mirror.#put(item)
    return mirror
  }

  get(id: string): MirroredItem<Body> | undefined {
    return this.#items.get(id)
  }

  values(): Iterable<MirroredItem<Body>> {
    return this.#items.values()
  }

  /** In the order of their ids, which is that of their creation. */
  childrenOf(parentId: string): readonly MirroredItem<Body>[] {
    return [...(this.#children.get(parentId)?.values() ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Reads an item again after a change. Returns what it was and what it is. */
  async refresh(id: string): Promise<{ before?: MirroredItem<Body>; after?: MirroredItem<Body> }> {
    const after = await this.#source.find(id)
    const before = this.#items.get(id)
    if (before !== undefined) this.#remove(before)
    if (after !== undefined) this.#put(after)
    return { ...(before && { before }), ...(after && { after }) }
  }

  /** The parent is gone, and these with it. */
  removeChildrenOf(parentId: string): void {
    for (const child of this.childrenOf(parentId)) this.#remove(child)
  }

  #put(item: MirroredItem<Body>): void {
    this.#items.set(item.id, item)
    if (item.parentId === null) return
    const siblings = this.#children.get(item.parentId) ?? new Map<string, MirroredItem<Body>>()
    this.#children.set(item.parentId, siblings.set(item.id, item))
  }

  #remove({ id, parentId }: MirroredItem<Body>): void {
    this.#items.delete(id)
    if (parentId === null) return
    const siblings = this.#children.get(parentId)
    siblings?.delete(id)
    if (siblings?.size === 0) this.#children.delete(parentId)
  }
}
