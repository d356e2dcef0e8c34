import { expect, test } from 'vitest'
import { renderMarkdown } from '../../server/docs/markdown.ts'

const place = { file: 'server/docs/pages/operate.md', path: '/docs/operate' }

test.each([
  ['[a](visitors.md)', '<a href="visitors">a</a>'],
  ['[a](visitors.md#import-a-log)', '<a href="visitors#import-a-log">a</a>'],
  ['[a](#set-up)', '<a href="#set-up">a</a>'],
  ['[a](../../../README.md)', '<a href="start">a</a>'],
  ['[a](../../../CHANGELOG.md)', '<a href="changelog">a</a>'],
  ['[a](../../../spec/paths/agent-job.yaml)', '<a href="operations/getAgentJob">a</a>'],
  ['[a](https://example.com/?b=1&c=2)', '<a href="https://example.com/?b=1&amp;c=2">a</a>'],
  ['[a](../../../LICENSE)', 'a'],
  ['[a](javascript:alert)', 'a'],
])('%s becomes %s', (text, html) => {
  expect(renderMarkdown(text, place)).toBe(`<p>${html}</p>\n`)
})

test('headings have the same ids as in repository viewers', () => {
  const html = renderMarkdown('## The `server/` folder, 2026-11-20: why?\n## Twice\n## Twice', place)
  expect([...html.matchAll(/id="([^"]*)"/g)].map(([, id]) => id)).toEqual([
    'the-server-folder-2026-11-20-why',
    'twice',
    'twice-1',
  ])
})

test('pictures are left out, and so are paragraphs that contain only a picture', () => {
  expect(renderMarkdown('a\n\n![b](c.png)\n\nd', place)).toBe('<p>a</p>\n<p>d</p>\n')
})

test('code and tables scroll inside a box that takes the focus', () => {
  expect(renderMarkdown('```sh\na <b>\n```', place)).toBe(
    '<div class="code"><pre tabindex="0"><code>a &lt;b&gt;</code></pre></div>\n',
  )
  expect(renderMarkdown('| a |\n|---|\n| b |', place)).toMatch(/^<div class="wide" [^>]*tabindex="0"><table>/)
})

test('a flag in a sentence gets no line break after its hyphens', () => {
  expect(renderMarkdown('`serve --log-level <level>`', place)).toBe(
    '<p><code>serve <span>--log-level</span> &lt;level&gt;</code></p>\n',
  )
})
