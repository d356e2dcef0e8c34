import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readThemes } from '../../../server/export/verify/write-scripts.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-themes-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  [
    'a style sheet',
    { 'a.css': '[data-theme=dark] { color: #eee }' },
    { themeAttributes: ['data-theme'], hasDarkClass: false },
  ],
  [
    'a style of a page',
    { 'a.html': '<style>p { margin: 0 }</style><STYLE media=screen>\nhtml.dark body{color:#eee}</STYLE>' },
    { themeAttributes: [], hasDarkClass: true },
  ],
  ['no style', { 'a.html': '<p>html.dark body { }</p>' }, { themeAttributes: [], hasDarkClass: false }],
])('the themes of a bundle with %s', async (_, files, want) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const names = Object.keys(files)
  expect(
    await readThemes(
      folder,
      names,
      names.filter(name => name.endsWith('.html')),
    ),
  ).toEqual(want)
})
