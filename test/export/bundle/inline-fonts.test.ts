import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inlineFonts } from '../../../server/export/bundle/inline-fonts.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-fonts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function run(css: string, fonts: Record<string, number>): Promise<string> {
  for (const [name, sizeBytes] of Object.entries(fonts)) writeFileSync(join(folder, name), Buffer.alloc(sizeBytes, 1))
  writeFileSync(join(folder, 'a.css'), css)
  await inlineFonts(folder, ['a.css', ...Object.keys(fonts)])
  return readFileSync(join(folder, 'a.css'), 'latin1')
}

test('embeds a small font in its style sheet, and nothing else', async () => {
  const css =
    '@font-face { font-family: a; src: url("a.woff2") format("woff2"), url(a.woff) } p { background: url(a.png) }'
  expect(await run(css, { 'a.woff2': 3, 'a.woff': 3, 'a.png': 3 })).toBe(
    '@font-face { font-family: a; src: url("data:font/woff2;base64,AQEB") format("woff2"), url(a.woff) } p { background: url(a.png) }',
  )
})

test('does not embed large or missing fonts', async () => {
  const css =
    '@font-face { src: url(big.woff2) } @font-face { src: url(none.woff2) } @font-face { src: url(../up.woff2) }'
  expect(await run(css, { 'big.woff2': 200_000 })).toBe(css)
})

test('embeds fonts for Latin text first if there is no room for all', async () => {
  const face = (name: string, range: string) => `@font-face { src: url(${name}); unicode-range: ${range} }`
  const css = [
    face('g.woff2', 'U+0370-03FF'),
    face('h.woff2', 'U+400-4??'),
    face('i.woff2', 'U+1E00'),
    face('l.woff2', 'U+0000-00FF'),
  ]
  const changed = await run(css.join(''), {
    'g.woff2': 99_000,
    'h.woff2': 99_000,
    'i.woff2': 99_000,
    'l.woff2': 99_000,
  })
  expect(changed).not.toContain('l.woff2')
  expect(changed).toContain('i.woff2')
})
