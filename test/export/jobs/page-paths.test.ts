import { expect, test } from 'vitest'
import { toPagePaths } from '../../../server/export/jobs/page-paths.ts'

test.each([
  { given: [], want: null },
  { given: ['index', 'guides/getting-started'], want: ['/', '/guides/getting-started'] },
  { given: ['/index', '/'], want: ['/'] },
  { given: ['a', '/a', 'b/'], want: ['/a', '/b/'] },
  { given: ['guides/index', 'index.html', 'Index'], want: ['/guides/index', '/index.html', '/Index'] },
])('$given are the pages $want', ({ given, want }) => {
  expect(toPagePaths(given)).toEqual(want)
})
