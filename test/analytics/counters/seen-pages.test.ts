import { expect, test } from 'vitest'
import {
  createSeenPages,
  decodeSeenPages,
  encodeSeenPages,
  pushSeenPage,
} from '../../../server/analytics/counters/seen-pages.ts'
import fc from '../../support/fast-check.ts'

const anyPages = fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 31 - 1 }), { maxLength: 200 })

test('pages up to 2^31 and all masks survive encoding', () => {
  fc.assert(
    fc.property(anyPages, fc.integer({ min: 1, max: 3 }), (pages, mask) => {
      const seen = createSeenPages()
      for (const page of pages.sort((a, b) => a - b)) pushSeenPage(seen, page, mask)
      const again = createSeenPages()
      decodeSeenPages(encodeSeenPages(seen), again)
      expect([...again.pages.subarray(0, again.length)]).toEqual(pages)
      expect([...again.masks.subarray(0, again.length)]).toEqual(pages.map(() => mask))
    }),
  )
})

test('a page close to the previous one takes one byte', () => {
  const seen = createSeenPages()
  for (const page of [3, 4, 30]) pushSeenPage(seen, page, 1)
  expect(encodeSeenPages(seen).length).toBe(3)
})
