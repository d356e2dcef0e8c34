import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isPagePath, pagePathPattern, toPagePaths } from '../../../server/export/jobs/page-paths.ts'

test.each([
  { given: [], want: null },
  { given: ['index', 'guides/getting-started'], want: ['/', '/guides/getting-started'] },
  { given: ['/index', '/'], want: ['/'] },
  { given: ['a', '/a', 'b/'], want: ['/a', '/b/'] },
  { given: ['guides/index', 'index.html', 'Index'], want: ['/guides/index', '/index.html', '/Index'] },
])('$given are the pages $want', ({ given, want }) => {
  expect(toPagePaths(given)).toEqual(want)
})

test('the pattern is the one of the document', () => {
  const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../generated/openapi.json'), 'utf8'))
  const { items } = document.components.schemas.StartExport.properties.paths
  expect([pagePathPattern.source, items.maxLength]).toEqual([new RegExp(items.pattern).source, 2048])
})

test.each([
  ['index', true],
  ['guides/getting-started', true],
  ['/', true],
  ['a'.repeat(2048), true],
  ['a'.repeat(2049), false],
  ['', false],
  ['getting started', false],
  ['/a/../b', false],
  ['https://evil.example/', false],
])('%j is a page: %j', (given, want) => {
  expect(isPagePath(given)).toBe(want)
})
