import { ByteTable } from '../hash-table.ts'
import { type Page, toPage } from '../page.ts'

/** Caches pages by the bytes of their request targets; refused targets are cached too. */
export class PageCache {
  readonly #table = new ByteTable()
  #pages: Page[] = []

  get sizeBytes(): number {
    return this.#table.sizeBytes
  }

  get size(): number {
    return this.#table.size
  }

  find(bytes: Buffer, start: number, end: number, decode: (text: string) => string): Page {
    const number = this.#table.find(bytes, start, end)
    if (number !== -1) return this.#pages[number] as Page
    const page = toPage(decode(bytes.toString('latin1', start, end)))
    this.#table.add(bytes, start, end)
    this.#pages.push(page)
    return page
  }

  clear(): void {
    this.#table.clear()
    this.#pages = []
  }
}
