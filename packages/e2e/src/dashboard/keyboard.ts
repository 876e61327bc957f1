import type { Page } from 'playwright-core'

const tabsMax = 80

/** What people do without a mouse: Tab until something has the focus, then Enter or text. */
export class Keyboard {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  /** Moves on with Tab until the focus is on something of this accessible name or text. */
  async tabTo(name: string | RegExp): Promise<void> {
    for (let tabs = 0; tabs < tabsMax; tabs++) {
      await this.#page.keyboard.press('Tab')
      const focused = await this.focusedName()
      if (typeof name === 'string' ? focused === name : name.test(focused)) return
    }
    throw new Error(`${String(name)} is not reached by Tab`)
  }

  async choose(name: string | RegExp): Promise<void> {
    await this.tabTo(name)
    await this.#page.keyboard.press('Enter')
  }

  async fill(name: string, text: string): Promise<void> {
    await this.tabTo(name)
    await this.#page.keyboard.insertText(text)
  }

  /** By which name a screen reader would announce what has the focus. */
  focusedName(): Promise<string> {
    return this.#page.evaluate<string>(`{
      const element = document.activeElement
      const labels = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '')
      ;(element.getAttribute('aria-label') ?? (element.labels?.[0]?.textContent || labels.join(' ').trim() || element.textContent)).trim()
    }`)
  }
}
