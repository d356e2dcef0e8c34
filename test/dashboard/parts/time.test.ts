import { expect, test } from 'vitest'
import { timeAgo } from '../../../server/dashboard/parts/time.ts'

const now = Date.parse('2026-11-20T12:00:00Z')

test.each([
  ['2026-11-20T12:00:00Z', 'just now'],
  ['2026-11-20T11:59:01Z', 'just now'],
  ['2026-11-20T12:00:30Z', 'in less than a minute'],
  ['2026-11-20T11:59:00Z', '1 minute ago'],
  ['2026-11-20T09:00:00Z', '3 hours ago'],
  ['2026-11-18T12:00:01Z', '1 day ago'],
  ['2026-12-19T12:00:00Z', 'in 29 days'],
  ['2026-09-20T12:00:00Z', '2 months ago'],
  ['2024-11-20T12:00:00Z', '2 years ago'],
])('%s is %s, with the exact time as its title', (instant, text) => {
  const exact = `${instant.slice(0, 19).replace('T', ' ')} UTC`
  expect(timeAgo(Date.parse(instant), now).text).toBe(
    `<time datetime="${instant.replace('Z', '.000Z')}" title="${exact}" data-ago>${text}</time>`,
  )
})
