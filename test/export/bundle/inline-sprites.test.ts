import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inlineSprites } from '../../../server/export/bundle/inline-sprites.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-sprites-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function run(page: string, sprite: string, path = 'guide/a.html'): Promise<string> {
  for (const [name, text] of [
    [path, page],
    ['icons.svg', sprite],
  ] as const) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  await inlineSprites(folder, [path])
  return readFileSync(join(folder, path), 'utf8')
}

const symbols =
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><symbol id="find" class="wide" viewBox="0 0 4 4"><title>Find &amp; go</title><path d="M0 0h4"/></symbol><symbol id="other"><path d="M1 1"/></symbol></svg>'

test('copies the used parts of an SVG file into the page, once each', async () => {
  const page = (href: string) => `<body><svg><use ${href}></use></svg><svg><use ${href}/></svg></body>`
  const text = await run(page('href="../icons.svg#find"'), symbols)
  const id = /<use href="#(quire-\w+-find)"><\/use>/.exec(text)?.[1]
  expect(text).toContain(`<use href="#${id}"/>`)
  expect(text).toContain(
    `<symbol id="${id}" viewBox="0 0 4 4"><title>Find &amp; go</title><path d="M0 0h4"></path></symbol></svg></body>`,
  )
  expect(text.split('<symbol')).toHaveLength(2)
  expect(text).not.toContain('.svg')
  // The same part has the same id in each page.
  expect(await run(page('xlink:href=../../icons.svg?v=1#find'), symbols, 'guide/deep/b.html')).toContain(
    `<use xlink:href="#${id}"></use>`,
  )
})

test('copies the parts that a part refers to', async () => {
  const sprite =
    '<svg><defs><linearGradient id="paint"><stop stop-color="red"/></linearGradient><path id="line" d="M0 0"/></defs><g id="find"><use xlink:href="#line" fill="url(#paint)"/></g></svg>'
  const text = await run('<svg><use href="../icons.svg#find"/></svg>', sprite)
  const prefix = /href="#(quire-\w+-)find"/.exec(text)?.[1]
  expect(text).toContain(`<use xlink:href="#${prefix}line" fill="url(#${prefix}paint)"></use>`)
  expect(text).toContain(`<linearGradient id="${prefix}paint">`)
  expect(text).toContain(`<path id="${prefix}line" d="M0 0">`)
  // Browsers ignore a gradient in an element that is not displayed.
  expect(text).not.toContain('display:none')
})

test('copies nothing that runs or loads', async () => {
  const sprite =
    '<svg><symbol id="find" onload="alert(1)"><script>alert(2)</script><path onclick="alert(3)" style="fill:url(//evil.example/x)" d="M0 0"/><use href="//evil.example/y.svg#z"/><title><img src="x" onerror="alert(4)"/>Find</title></symbol></svg>'
  const text = await run('<svg><use href="../icons.svg#find"/></svg>', sprite)
  expect(text).toContain('<path d="M0 0"></path><use></use><title>Find</title>')
  expect(text).not.toMatch(/alert|evil|onload|<img/)
})

test.each([
  ['a part that the file lacks', symbols, '../icons.svg#none'],
  ['a file that the bundle lacks', symbols, '../none.svg#find'],
  ['a file outside of the bundle', symbols, '../../../icons.svg#find'],
  ['a file of another host', symbols, 'https://x.example/icons.svg#find'],
  ['a file with styles', symbols.replace('<symbol', '<style>path { fill: red }</style><symbol'), '../icons.svg#find'],
  ['a part with a picture', '<svg><symbol id="find"><image href="a.png"/></symbol></svg>', '../icons.svg#find'],
  ['HTML', '<svg><symbol id="find"><foreignObject><b>x</b></foreignObject></symbol></svg>', '../icons.svg#find'],
  ['a large part', `<svg><symbol id="find"><path d="${'0 '.repeat(40_000)}"/></symbol></svg>`, '../icons.svg#find'],
  ['parts nested too deeply', `<svg>${'<g>'.repeat(100)}<path id="find"/></svg>`, '../icons.svg#find'],
])('leaves %s as it is', async (_name, sprite, href) => {
  const page = `<body><svg><use href="${href}"></use></svg></body>`
  expect(await run(page, sprite)).toBe(page)
})

test('leaves templates as they are, because an id in a shadow tree means an element of this tree', async () => {
  const page = '<div><template shadowrootmode="open"><svg><use href="../icons.svg#find"/></svg></template></div>'
  expect(await run(page, symbols)).toBe(page)
})

test('copies a sprite with many references between its parts quickly', async () => {
  const chain = Array.from({ length: 5000 }, (_, at) => `<g id="p${at}"><use href="#p${at + 1}"/></g>`).join('')
  const uses = Array.from({ length: 5000 }, (_, at) => `<use href="../icons.svg#p${at}"/>`).join('')
  expect(await run(`<svg>${uses}</svg>`, `<svg>${chain}</svg>`)).toContain('../icons.svg#p4999')
})
