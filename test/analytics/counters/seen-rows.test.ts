import { expect, test } from 'vitest'
import {
  maxRowBytes,
  readSeenRow,
  type SeenDay,
  type SeenRow,
  type SeenRowStore,
  SeenRows,
} from '../../../server/analytics/counters/seen-rows.ts'
import fc from '../../support/fast-check.ts'

/** Rows of one visitor in a map. */
function createStore() {
  const rows = new Map<number, Uint8Array>()
  let reads = 0
  const store: SeenRowStore = {
    listBefore(_, before, limit) {
      reads++
      const found = [...rows].filter(([fromDay]) => fromDay < before).sort(([a], [b]) => b - a)
      return found.slice(0, limit).map(([fromDay, days]) => ({ fromDay, days }))
    },
    listLatest(visitors) {
      reads++
      const [latest] = [...rows].sort(([a], [b]) => b - a)
      return visitors.map(() => latest && { fromDay: latest[0], days: latest[1], isOnly: rows.size === 1 })
    },
    put: (_, fromDay, days) => void rows.set(fromDay, days),
    delete: (_, fromDay) => void rows.delete(fromDay),
  }
  return { rows, store, countReads: () => reads }
}

const visitor = new Uint8Array(16)
const toDays = (row: SeenRow) => {
  const days: SeenDay[] = []
  readSeenRow(row, days)
  return days
}
const pagesOf = ({ bytes, start, end }: SeenDay) => [...bytes.subarray(start, end)]

function open(seen: SeenRows): void {
  seen.prefetch([visitor])
  seen.open(visitor)
}

/** Stores days as `VisitorHistory` does: first it lists until a day before the first new day, or the end. */
function put(seen: SeenRows, days: ReadonlyMap<number, number[]>): void {
  const sorted = [...days].sort(([a], [b]) => a - b)
  open(seen)
  for (let listed = seen.listEarlier(); listed.length > 0; listed = seen.listEarlier()) {
    if (listed.some(({ day }) => day < (sorted[0]?.[0] ?? 0))) break
  }
  for (const [day, pages] of sorted) seen.put(day, Uint8Array.from(pages))
  seen.flush()
}

const anyPages = fc.oneof(
  fc.array(fc.nat(255), { minLength: 1, maxLength: 6 }),
  fc.integer({ min: 100, max: 1200 }).map(length => Array<number>(length).fill(1)),
)
const anyDays = fc
  .array(fc.tuple(fc.oneof(fc.nat(400), fc.integer({ min: 380, max: 460 }), fc.nat(70_000)), anyPages), {
    minLength: 1,
    maxLength: 30,
  })
  .map(entries => new Map(entries))

test('days put in any order are listed from the latest to the first, with their pages', () => {
  fc.assert(
    fc.property(fc.array(anyDays, { minLength: 1, maxLength: 12 }), batches => {
      const { rows, store } = createStore()
      const want = new Map<number, number[]>()
      const seen = new SeenRows(store)
      for (const days of batches) {
        put(seen, days)
        for (const [day, pages] of days) want.set(day, pages)
      }
      open(seen)
      const got: [number, number[]][] = []
      for (let days = seen.listEarlier(); days.length > 0; days = seen.listEarlier()) {
        got.push(...days.map(day => [day.day, pagesOf(day)] as [number, number[]]))
      }
      expect(got).toEqual([...want].sort(([a], [b]) => b - a))

      let last = -1
      for (const [fromDay, bytes] of [...rows].sort(([a], [b]) => a - b)) {
        const days = toDays({ fromDay, days: bytes })
        expect(days[0]?.day).toBe(fromDay)
        expect(fromDay).toBeGreaterThan(last)
        expect(bytes.length <= maxRowBytes || days.length === 1).toBe(true)
        last = days.at(-1)?.day as number
      }
    }),
  )
})

test('a hundred short days of a visitor are one row, and one query reads them', () => {
  const { rows, store, countReads } = createStore()
  const seen = new SeenRows(store)
  for (let day = 0; day < 100; day++) put(seen, new Map([[20_000 + day, [5]]]))
  expect([...rows.keys()]).toEqual([20_000])
  const before = countReads()
  open(seen)
  expect(seen.listEarlier().length).toBe(100)
  expect(seen.listEarlier()).toEqual([])
  expect(countReads() - before).toBe(1)
})

test('what was put for a visitor is dropped after a rollback', () => {
  const { rows, store } = createStore()
  const seen = new SeenRows(store)
  open(seen)
  seen.put(7, Uint8Array.of(5))
  seen.discard()
  seen.flush()
  expect(rows.size).toBe(0)
})
