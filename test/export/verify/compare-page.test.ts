import { expect, test } from 'vitest'
import { comparePage } from '../../../server/export/verify/compare-page.ts'
import { createPlace } from '../../../server/export/verify/places.ts'
import type { PageLook } from '../../../server/web/browser/page-look.ts'

const look = (words: string[]): PageLook => ({
  ...{ words, headingWords: [], failed: [], failedAhead: [], errors: [], loaded: [], byScript: [], fetched: [] },
  ...{ isTakenOver: false, hasSearch: false, switchesTheme: null, outline: null },
  ...{ controls: [], deadControls: [], follows: null },
})

test.each([
  { fact: 'a page with a fault is opened twice, since a busy machine may have caused it', isInert: false, opened: 2 },
  { fact: 'a page on which no script of the site runs is opened once', isInert: true, opened: 1 },
])('$fact', async ({ isInert, opened }) => {
  let count = 0
  const viewer = {
    async look() {
      count += 1
      return look([])
    },
  }
  const origin = look('some words that the bundle does not show'.split(' '))
  const page = { path: 'a.html', ownPath: '/a.html', charset: 'utf-8', origin, app: null }
  expect(await comparePage({ viewer, isInert }, createPlace('folder', '/none'), page)).toMatchObject({
    what: '8 of 8 words are not shown',
  })
  expect(count).toBe(opened)
})
