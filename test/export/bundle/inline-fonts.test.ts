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

test('embeds the first source of a font that is a file of the bundle in a known format', async () => {
  const face = (first: string, second: string) => `@font-face { src: url(${first}), url(${second}) }`
  const fonts = { 'a.eot': 3, 'a.woff2': 3 }
  for (const other of ['a.eot', 'https://fonts.example/b.woff2'])
    expect(await run(face(other, 'a.woff2'), fonts)).toBe(face(other, '"data:font/woff2;base64,AQEB"'))
})

test('embeds fonts in the style elements of a page, and nowhere else in it', async () => {
  const style = (url: string) => `<style>@font-face { src: url(${url}) }</style>`
  const script = '<script>"@font-face { src: url(a.woff2) }"</script>'
  writeFileSync(join(folder, 'a.woff2'), Buffer.alloc(3, 1))
  writeFileSync(join(folder, 'a.html'), style('a.woff2') + script)
  await inlineFonts(folder, ['a.html'])
  expect(readFileSync(join(folder, 'a.html'), 'latin1')).toBe(style('"data:font/woff2;base64,AQEB"') + script)
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

test('a font of exactly the limit is embedded, and one byte more is not', async () => {
  const css = '@font-face { src: url(limit.woff2) } @font-face { src: url(more.woff2) }'
  const changed = await run(css, { 'limit.woff2': 100 * 1024, 'more.woff2': 100 * 1024 + 1 })
  expect(changed).not.toContain('limit.woff2')
  expect(changed).toContain('more.woff2')
})

test('the fonts of a style sheet may fill its limit to the last byte', async () => {
  const names = ['1.woff2', '2.woff2', '3.woff2', '4.woff2', '5.woff2']
  const sizes = [100, 100, 100, 20].map(kib => kib * 1024)
  const css = names.map(name => `@font-face { src: url(${name}) }`).join('')
  const changed = await run(css, Object.fromEntries(names.map((name, i) => [name, sizes[i] ?? 1])))
  expect(names.filter(name => changed.includes(name))).toEqual(['5.woff2'])
})

test.each([
  ['U+61', true],
  ['U+62', false],
  ['U+60', false],
  ['U+61-7A', true],
  ['U+41-61', true],
  ['U+62-7A, U+6?', true],
  ['Latin', false],
])('a font with the range %s is one of Latin text: %s', async (range, isLatin) => {
  const face = (name: string, more = '') => `@font-face { src: url(${name}) ${more} }`
  const others = ['x.woff2', 'y.woff2', 'z.woff2'].map(name => face(name, '; unicode-range: U+0-FF'))
  const css = [face('l.woff2', `; unicode-range: ${range}`), ...others, face('w.woff2')].join('')
  const names = ['l.woff2', 'x.woff2', 'y.woff2', 'z.woff2', 'w.woff2']
  const changed = await run(css, Object.fromEntries(names.map(name => [name, 80 * 1024])))
  expect(names.filter(name => changed.includes(name))).toEqual([isLatin ? 'w.woff2' : 'l.woff2'])
})
