import { expect, test } from 'vitest'
import { pagesOf, setUpBrowserlessExports } from '../browserless-exports.ts'
import { page } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'

const { run } = setUpBrowserlessExports()

const svg = (content: string) => ({
  headers: { 'content-type': 'image/svg+xml' },
  body: `<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><title/>${content}</svg>\n`,
})

test('links, pictures and styles of SVG files are followed, and lead into the bundle', async () => {
  const map =
    '<a xlink:href="/deep/one?x=1#part"><text>One é</text></a><a href="two.html"/><a href="https://elsewhere.example/"><rect/></a>' +
    '<a href="/gone"/><image href="/img/photo.png"/><image xlink:href="../img/inner.svg"/><use href="parts.svg#box"/><use href="#own"/>' +
    '<rect fill="url(#own)" style="mask: url(/img/mask.svg#m)"/><style><![CDATA[ text { fill: url(/img/fill.svg#f) } ]]></style>'
  const { names, entries, report } = await run({
    '/': page('home', '<object data="/maps/map.svg"></object><img src="/img/plain.svg">'),
    '/maps/map.svg': svg(map),
    '/img/plain.svg': svg('<path d="M0 0"/>'),
    '/img/inner.svg': svg('<a href="../three"/>'),
    ...Object.fromEntries(['/maps/parts.svg', '/img/mask.svg', '/img/fill.svg'].map(path => [path, svg('<g/>')])),
    '/img/photo.png': { headers: { 'content-type': 'image/png' }, body: 'photo' },
    ...Object.fromEntries(['/deep/one', '/maps/two.html', '/three'].map(path => [path, page(path)])),
  })
  expect(pagesOf(names).sort()).toEqual(['deep/one.html', 'index.html', 'maps/two.html', 'three.html'])
  expect(names).toEqual(expect.arrayContaining(['img/fill.svg', 'img/mask.svg', 'img/photo.png', 'maps/parts.svg']))
  const written = map
    .replace('"/deep/one?x=1#part"', '"../deep/one.html?x=1#part"')
    .replace('href="/gone"', 'class="quire-dead" data-quire-dead="/gone"')
    .replaceAll(/(?<!\.)\/img\//g, '../img/')
    .replace('(../img/mask.svg#m)', '(&quot;../img/mask.svg#m&quot;)')
    .replace('(../img/fill.svg#f)', '("../img/fill.svg#f")')
  expect(readEntry(entries, 'maps/map.svg')).toBe(svg(written).body)
  expect(readEntry(entries, 'img/inner.svg')).toBe(svg('<a href="../three.html"/>').body)
  expect(readEntry(entries, 'img/plain.svg')).toBe(svg('<path d="M0 0"/>').body)
  expect(report.deadLinks).toEqual([{ to: '/gone', reason: 'status 404', count: 1, pages: ['maps/map.svg'] }])
})
