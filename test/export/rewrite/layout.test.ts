import { expect, test } from 'vitest'
import { type Placed, planFolderStubs, planLayout, relativeReference } from '../../../server/export/rewrite/layout.ts'

const page = (path: string): Placed => place(path, { isPage: true, type: 'text/html' })
const file = (path: string, type = 'image/png', sha256 = path): Placed => place(path, { type, sha256 })

function place(path: string, rest: Partial<Placed>): Placed {
  const url = new URL(path, 'https://docs.example.com/')
  return { key: url.href, url, isPage: false, type: '', sha256: '', external: false, ...rest }
}

function plan(items: Placed[]): Record<string, string> {
  return Object.fromEntries(
    [...planLayout(items)].map(([key, path]) => [key.replace('https://docs.example.com', ''), path]),
  )
}

test('pages keep the layout of the site, and the base of their relative links', () => {
  const pages = ['/', '/a', '/a/b', '/a/b/c/', '/c.html', '/v1.2', '/old.php', '/d.xhtml']
  const result = plan(pages.map(page))
  expect(result).toEqual({
    '/': 'index.html',
    '/a': 'a.html',
    '/a/b': 'a/b.html',
    '/a/b/c/': 'a/b/c/index.html',
    '/c.html': 'c.html',
    '/v1.2': 'v1.2.html',
    '/old.php': 'old.php.html',
    '/d.xhtml': 'd.xhtml',
  })
  for (const path of pages)
    expect(new URL('./x', new URL(path, 'http://site')).href).toBe(
      new URL('./x', new URL(result[path] ?? '', 'http://site')).href,
    )
})

test.each([
  {
    fact: 'a page with the extension in its address keeps it',
    given: ['/c', '/c.html'],
    want: ['c/index.html', 'c.html'],
  },
  { fact: 'a page may be a folder, too', given: ['/a', '/a/'], want: ['a.html', 'a/index.html'] },
  {
    fact: 'the first page of a folder keeps its name',
    given: ['/', '/index'],
    want: ['index.html', 'index/index.html'],
  },
  { fact: 'names that Windows reserves get a mark', given: ['/con'], want: ['_con~7b4b3e2a.html'] },
])('$fact', ({ given, want }) => {
  const marked = (path: string | undefined) => path?.replace(/~[0-9a-f]{8}/, '~mark')
  const result = plan(given.map(page))
  expect(given.map(path => marked(result[path]))).toEqual(want.map(marked))
})

test('pages that differ only in the query stay in one folder', () => {
  const result = plan([page('/a/b'), page('/a/b?x=1'), page('/a/b?x=2')])
  expect(result['/a/b']).toBe('a/b.html')
  for (const path of ['/a/b?x=1', '/a/b?x=2']) expect(result[path]).toMatch(/^a\/b~[0-9a-f]{8}\.html$/)
})

test('a redirect yields its name to a page', () => {
  const redirect = { ...page('/guide.html'), isRedirect: true, key: 'https://docs.example.com/1' }
  expect(plan([redirect, page('/guide')])).toMatchObject({ '/guide': 'guide.html' })
})

test('files keep their path and get the extension that servers need', () => {
  expect(
    plan([
      file('/img/a.png'),
      file('/style', 'text/css'),
      file('/font.php', 'text/css'),
      file('/image', 'image/webp'),
      file('/site.webmanifest', 'application/manifest+json'),
      file('/data.json', 'application/json'),
      file('/photo.jpeg', 'image/jpeg'),
      file('/download', 'application/octet-stream'),
      file('/folder/', 'image/png'),
    ]),
  ).toEqual({
    '/img/a.png': 'img/a.png',
    '/style': 'style.css',
    '/font.php': 'font.php.css',
    '/image': 'image.webp',
    '/site.webmanifest': 'site.webmanifest',
    '/data.json': 'data.json',
    '/photo.jpeg': 'photo.jpeg',
    '/download': 'download',
    '/folder/': 'folder/index.png',
  })
})

test('of files that differ only in the query, the first and equal files get the plain name, and others get a mark', () => {
  const result = plan([
    file('/a.js?v=2', 'text/javascript', 'two'),
    file('/a.js?v=1', 'text/javascript', 'one'),
    file('/a.js?v=3', 'text/javascript', 'one'),
  ])
  expect(result['/a.js?v=1']).toBe('a.js')
  expect(result['/a.js?v=3']).toBe('a.js')
  expect(result['/a.js?v=2']).toMatch(/^a~[0-9a-f]{8}\.js$/)
})

test('names that differ only in case or Unicode form get different files, in any order of input', () => {
  const items = [
    page('/API/x'),
    page('/api/x'),
    file('/img/Logo.png'),
    file('/img/logo.png'),
    file('/caf%C3%A9.png'),
    file('/cafe%CC%81.png'),
  ]
  const result = plan(items)
  const folded = Object.values(result).map(path => path.normalize('NFC').toLowerCase())
  expect(new Set(folded).size).toBe(items.length)
  expect(result['/API/x']).toBe('API/x.html')
  expect(result['/api/x']).toMatch(/^api~[0-9a-f]{8}\/x\.html$/)
  expect(plan([...items].reverse())).toEqual(result)
})

test('a name that is taken gets a mark of its own address, so that it is the same in each export', () => {
  expect(plan([file('/a.png'), file('/A.png')])).toEqual({ '/A.png': 'A.png', '/a.png': 'a~0f68130e.png' })
})

test('a file with the name of a folder gets another name', () => {
  const result = plan([file('/a', 'application/octet-stream'), page('/a/b')])
  expect(result['/a/b']).toBe('a/b.html')
  expect(result['/a']).toMatch(/^a~[0-9a-f]{8}$/)
})

test('no name leads out of the bundle, is invalid on a file system, or is reserved', () => {
  const hostile = [
    '/..%2f..%2fetc%2fpasswd',
    '/%00nul',
    '/a%5c..%5cb',
    '/con.png',
    '/LPT1',
    '/a%3ab',
    '/dot.',
    '/%20 ',
    '/...',
    `/${'x'.repeat(300)}.png`,
    '/export-report.json',
    '/quire-manifest.json',
    '/_external/x.png',
    '/%ff%fe.png',
    '/a%0ab',
  ]
  const paths = Object.values(plan(hostile.map(path => file(path))))
  expect(new Set(paths).size).toBe(hostile.length)
  for (const path of paths) {
    for (const segment of path.split('/')) {
      expect(segment).not.toMatch(/[<>:"\\|?*]|[. ]$|^\.{1,2}$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
      expect(segment).not.toMatch(/[\u0000-\u001f]/)
      expect(Buffer.byteLength(segment)).toBeLessThanOrEqual(140)
    }
    expect(['export-report.json', 'quire-manifest.json']).not.toContain(path)
    expect(path).not.toMatch(/^_external\//)
  }
})

test('a path that is too long is shortened', () => {
  const deep = `/${Array.from({ length: 12 }, (_, index) => `a-rather-long-folder-name-${index}`).join('/')}/index.png`
  expect(plan([file(deep)])[deep]).toMatch(/^_long\/index~[0-9a-f]{8}\.png$/)
})

test('files of other sites are in a folder named after their host', () => {
  const url = new URL('https://cdn.example.net:8443/css2?family=Inter')
  const item: Placed = { key: url.href, url, isPage: false, type: 'text/css', sha256: '', external: true }
  expect([...planLayout([item]).values()]).toEqual(['_external/cdn.example.net_8443/css2.css'])
})

test.each([
  ['index.html', 'a/index.html', 'a/index.html'],
  ['a/b/index.html', 'index.html', '../../index.html'],
  ['a/b/index.html', 'a/c/index.html', '../c/index.html'],
  ['a/index.html', 'a/index.html', 'index.html'],
  ['index.html', 'a b/ü#1.png', 'a%20b/%C3%BC%231.png'],
  ['a/x.html', 'a~1/x+y@2.png', '../a~1/x+y@2.png'],
])('from %s to %s is %s', (from, to, reference) => {
  expect(relativeReference(from, to)).toBe(reference)
})

test('no folder is named like the first page of the bundle', () => {
  const result = plan([page('/index.html/x'), file('/INDEX.HTML/y.png'), page('/')])
  expect(result['/']).toBe('index.html')
  for (const path of Object.values(result).filter(path => path !== 'index.html'))
    expect(path).toMatch(/^index~[0-9a-f]{8}(~[0-9a-f]{8})?\.html\/|^INDEX~[0-9a-f]{8}(~[0-9a-f]{8})?\.HTML\//)
})

const cases: { fact: string; pages: Record<string, string>; paths?: string[]; want: string[] }[] = [
  { fact: 'a page without a slash gets a stub', pages: { '/a/b': 'a/b.html' }, want: ['a/b/index.htm to a/b.html'] },
  {
    fact: 'a page and the pages below it do, too',
    pages: { '/a': 'a.html', '/a/b': 'a/b.html' },
    want: ['a/index.htm to a.html', 'a/b/index.htm to a/b.html'],
  },
  { fact: 'escapes are decoded', pages: { '/%C3%BC%20x': 'ü x.html' }, want: ['ü x/index.htm to ü x.html'] },
  {
    fact: 'a second name of a page gets a stub',
    pages: { '/b.html': 'b.html', '/b': 'b.html' },
    want: ['b/index.htm to b.html'],
  },
  { fact: 'file systems could refuse the name of the folder', pages: { '/x%20': 'x .html' }, want: [] },
  {
    fact: 'a page with a slash or an extension needs none',
    pages: { '/': 'index.html', '/a/': 'a/index.html', '/b.html': 'b.html' },
    want: [],
  },
  { fact: 'the folder is a page', pages: { '/a': 'a.html', '/a/': 'a/index.html' }, want: [] },
  { fact: 'the name of the folder is a file', pages: { '/a': 'a.html' }, paths: ['A'], want: [] },
  {
    fact: 'the folder would have the name of a file of Quire',
    pages: { '/export-report.json': 'export-report.json.html', '/Quire-Manifest.json': 'Quire-Manifest.json.html' },
    want: [],
  },
  { fact: 'the folder has another case', pages: { '/api': 'api.html' }, paths: ['API/x.png'], want: [] },
  { fact: 'the page has another name than its address', pages: { '/a': 'a~12345678.html' }, want: [] },
]

test.each(cases)('$fact', ({ pages, paths = [], want }) => {
  const known = Object.entries(pages).map(([address, path]) => ({ url: new URL(address, 'http://site'), path }))
  const stubs = planFolderStubs(known, [...Object.values(pages), ...paths])
  expect(stubs.map(({ path, to }) => `${path} to ${to}`)).toEqual(want)
})
