import { expect, test } from 'vitest'
import { relativePath } from '../../server/docs/relative-path.ts'

test.each([
  ['/docs/', '/docs/', './'],
  ['/docs/', '/docs/a', 'a'],
  ['/docs/a', '/docs/', './'],
  ['/docs/a', '/docs/b', 'b'],
  ['/docs/a', '/docs/deep/b', 'deep/b'],
  ['/docs/deep/b', '/docs/', '../'],
  ['/docs/deep/b', '/docs/a', '../a'],
  ['/docs/deep/b', '/docs/deep/b', 'b'],
  ['/docs', '/docs/', 'docs/'],
  ['/docs/a/', '/docs/a', '../a'],
  ['/docs/a', '/docs/https:evil.example/', './https:evil.example/'],
  ['/docs/a', '/docs///evil.example/', './//evil.example/'],
])('from %s to %s it is %s', (from, to, path) => {
  expect(relativePath(from, to)).toBe(path)
  expect(new URL(path, `http://docs.test${from}`).pathname).toBe(to)
})
