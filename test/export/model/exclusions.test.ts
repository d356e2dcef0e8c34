import { describe, expect, test } from 'vitest'
import { createExclusions } from '../../../server/export/model/exclusions.ts'
import { createSite } from '../../../server/export/model/site.ts'

const site = createSite('docs.example.com', new URL('http://127.0.0.1:3000/'))

test.each([
  ['/internal/*', '/internal/notes', true],
  ['/internal/*', '/internal/', true],
  ['/internal/*', '/internal', true],
  ['/internal/*', '/internals', false],
  ['/internal/*', '/en/internal/notes', false],
  ['/internal', '/internal/', true],
  ['/internal/', '/internal', true],
  ['/internal', '/internal/index.html', true],
  ['/internal', '/internal/notes', false],
  ['/guide/intro', '/guide/intro.html', false],
  ['*/drafts/*', '/en/drafts/a', true],
  ['docs.example.com/internal/*', '/internal/notes', true],
  ['127.0.0.1:3000/internal/*', '/internal/notes', true],
  ['other.example.com/internal/*', '/internal/notes', false],
  ['/über/*', '/%C3%BCber/uns', true],
  ['/%C3%BCber/*', '/%C3%BCber/uns', true],
  ['/internal', '/internal?page=2', true],
  ['/index.php?title=Secret*', '/index.php?title=Secret_plan', true],
  ['/index.php?title=Secret*', '/index.php?title=Install', false],
])('%s excludes %s: %s', (pattern, path, want) => {
  expect(createExclusions([pattern], site).has(new URL(path, site.origin))).toBe(want)
})

describe('the report', () => {
  test('lists pages with patterns, and patterns without pages', () => {
    const exclusions = createExclusions(['/internal/*', '*/secret', '/nowhere/*'], site)
    for (const path of ['/internal/secret', '/a/secret', '/internal/secret'])
      exclusions.note(path, new URL(path, site.origin))
    expect(exclusions.list()).toEqual([
      { key: '/a/secret', pattern: '*/secret' },
      { key: '/internal/secret', pattern: '/internal/*' },
    ])
    expect(exclusions.notes()).toEqual([
      'The exclusion /nowhere/* matched no page of the site.',
      expect.stringContaining('links to them lead to https://docs.example.com.'),
    ])
  })

  test('lists the same thousand pages in any order', () => {
    const paths = Array.from({ length: 5000 }, (_, index) => `/x/${index}`)
    const list = (order: string[]) => {
      const exclusions = createExclusions(['/x/*'], site)
      for (const path of order) exclusions.note(path, new URL(path, site.origin))
      expect(exclusions.notes()).toContain('Only the first 1000 excluded pages are listed.')
      return exclusions.list()
    }
    expect(list(paths)).toHaveLength(1000)
    expect(list([...paths].reverse())).toEqual(list(paths))
  })
})
