import { expect, test } from 'vitest'
import {
  describeCounting,
  parseNotPages,
  parseOwnAddresses,
  parsePages,
} from '../../../server/analytics/import/counting-settings.ts'
import { usualCounting } from '../../../server/tenancy/project.ts'

test('pages are kept as they are counted', () => {
  const given = [' /feed/index.html', '/skill.md', '/api/*', '*.PDF', '/logo.png', '']
  expect(parsePages(given)).toEqual(['/feed', '/skill', '/api/*', '*.pdf', '/logo.png'])
})

test('what is no page elsewhere may be left out, too, because further pages can have made it one', () => {
  expect(parseNotPages(['/api/health', '/manual.pdf'])).toEqual(['/api/health', '/manual.pdf'])
})

test.each([
  ['api', 'api must begin with a slash.'],
  ['/a*b', '/a*b may have one star, at its end, and no query.'],
  ['/a?b', '/a?b may have one star, at its end, and no query.'],
  ['*', '* must be a star and an extension, such as *.pdf.'],
  ['*pdf', '*pdf must be a star and an extension, such as *.pdf.'],
  ['*.a/b', '*.a/b must be a star and an extension, such as *.pdf.'],
  ['*.', '*. must be a star and an extension, such as *.pdf.'],
  ['/a\u0000', '/a\u0000 is not a path.'],
])('%j is refused', (entry, problem) => {
  expect(() => parsePages([entry])).toThrow(problem)
})

test('own addresses may not be those of everybody', () => {
  expect(parseOwnAddresses(['203.0.113.0/24'])).toEqual(['203.0.113.0/24'])
  expect(() => parseOwnAddresses(['0.0.0.0/0'])).toThrow('0.0.0.0/0 is every address: nobody would count.')
})

test('settings are described for the audit log', () => {
  const agents = [{ name: 'OurBot', class: 'search' as const, contains: ['OurBot'], ranges: [], complete: false }]
  expect(describeCounting({ ...usualCounting, pages: ['*.pdf'], agents })).toBe(
    'own addresses none; no pages none; more pages *.pdf; more agents OurBot (search); AI all',
  )
})
