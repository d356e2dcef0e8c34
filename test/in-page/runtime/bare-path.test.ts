import { expect, test } from 'vitest'
import { barePath } from '../../../server/in-page/runtime/bare-path.ts'

test.each([
  ['', ''],
  ['index.html', ''],
  ['a/b', 'a/b'],
  ['a/b.html', 'a/b'],
  ['a/b/', 'a/b'],
  ['a/b/index.html', 'a/b'],
  ['a/index', 'a'],
  ['a/my-index.html', 'a/my-index'],
  ['v1.2', 'v1.2'],
  ['%C3%BC.xhtml', 'ü'],
  ['100%', '100%'],
])('%s is %s', (path, want) => {
  expect(barePath(path)).toBe(want)
})
