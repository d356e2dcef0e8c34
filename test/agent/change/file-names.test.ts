import { describe, expect, test } from 'vitest'
import { isInFolders, Spellings, whyForbidden } from '../../../server/agent/change/file-names.ts'

test.each([
  'docs/a.md',
  'docs/Über uns.md',
  'docs/agents/guide.md',
  'docs/日本語.md',
  'a/git/x',
  "docs/it's.md",
  'docs/a..b.md',
  'docs/git~.md',
])('allows %s', path => {
  expect(whyForbidden(path)).toBeUndefined()
})

test.each([
  ...[
    '.git',
    'docs/.git/config',
    'docs/.GIT/hooks/x',
    'docs/.gitattributes',
    'docs/.gitmodules',
    '.github/workflows/x.yml',
    'docs/.env',
  ],
  ...[
    'docs/..',
    '../x',
    'docs/./x',
    'docs//x',
    '',
    'git~1',
    'GIT~1/config',
    'docs/GITMOD~1',
    'docs/gi7eba~1',
    'docs/.g\u200cit/x',
  ],
  ...[
    'docs/.git /x',
    'docs/a.md.',
    'docs/a ',
    'docs/.git::$INDEX_ALLOCATION',
    'docs\\.git',
    'docs/a:b',
    'docs/a\nb',
    'docs/a\x1bb',
    'docs/\u202etxt.md',
  ],
  ...[
    'docs/\ufffd.md',
    'docs/\uff0egit/config',
    'AGENTS.md',
    'docs/Agents.MD',
    'docs/x/CLAUDE.md',
    'docs/GEMINI.md',
    'docs/QWEN.md',
  ],
  ...[
    'opencode.json',
    'docs/opencode.jsonc',
    'docs/.mcp.json',
    'docs/.cursorrules',
    'docs/.cursor/rules/x.mdc',
    'docs/.windsurfrules',
  ],
  ...[`docs/${'a'.repeat(256)}`, `docs/${'a/'.repeat(50)}b`, `${'abcdefghi/'.repeat(120)}b`],
])('forbids %j', path => {
  expect(whyForbidden(path)).toBeTypeOf('string')
})

test('knows the files of folders', () => {
  expect(isInFolders('docs/a.md', ['docs'])).toBe(true)
  expect(isInFolders('docs', ['docs'])).toBe(false)
  expect(isInFolders('docs-old/a.md', ['docs'])).toBe(false)
  expect(isInFolders('a.md', [])).toBe(true)
})

describe('Spellings', () => {
  const spellings = new Spellings([
    'docs/a.md',
    'docs/A.md',
    'docs/b.md',
    'docs/Guide/x.md',
    'docs/guide/y.md',
    'docs/\u00fc',
    'docs/u\u0308',
  ])
  test.each([
    ['docs/a.md', true],
    ['docs/b.md', false],
    ['docs/guide/y.md', true],
    ['docs/\u00fc', true],
    ['docs/new.md', false],
  ])('%s is ambiguous: %s', (path, isAmbiguous) => {
    expect(spellings.isAmbiguous(path)).toBe(isAmbiguous)
  })
})
