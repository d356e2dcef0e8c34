import { BoundedCache } from '../../base/bounded-cache.ts'
import type { Database } from '../database.ts'

const maxKnown = 10_000

/** Opens the table of the labels of a project, see `labels.ts`. */
export function openLabelNumbers(database: Database) {
  const find = database.prepare<[string], number>('SELECT number FROM labels WHERE label = ?').pluck()
  const insert = database.prepare<[string]>('INSERT INTO labels (label) VALUES (?)')
  const list = database.prepare<[], { number: number; label: string }>('SELECT number, label FROM labels')
  let known = new BoundedCache<string, number>(maxKnown)
  return {
    /** Returns the number of a label. A new label gets the next number. */
    toNumber(label: string): number {
      const number = known.get(label) ?? find.get(label) ?? Number(insert.run(label).lastInsertRowid)
      known.set(label, number)
      return number
    },
    /** Returns all labels by number. */
    list: () => new Map(list.all().map(({ number, label }) => [number, label])),
    /** Empties the cache after a transaction was rolled back. */
    discard(): void {
      known = new BoundedCache(maxKnown)
    },
  }
}
