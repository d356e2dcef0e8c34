import { describe, expect, test } from 'vitest'
import type { PageSections } from '../../../server/export/search/page-sections.ts'
import { createSearchIndex, type IndexFile } from '../../../server/export/search/search-index.ts'
import type { IndexLoader } from '../../../server/in-page/search/index-format.ts'
import type { MarkedText } from '../../../server/in-page/search/marked-text.ts'
import { createSearch } from '../../../server/in-page/search/search-query.ts'
import { createTermReader } from '../../../server/in-page/search/search-terms.ts'

type Page = [path: string, name: string, ...sections: [heading: string, anchor: string, text: string][]]

function toSections([, name, ...sections]: Page, language = 'en'): PageSections {
  return {
    name,
    title: `${name} | Docs`,
    language,
    sections: sections.map(([heading, anchor, text]) => ({ heading, anchor, text })),
  }
}

function makeIndex(pages: readonly Page[], languages: Record<string, string> = {}): IndexFile[] {
  const index = createSearchIndex()
  const files = pages.flatMap(page => index.add(page[0], toSections(page, languages[page[0]])))
  return [...files, ...index.finish().files]
}

/** Opens a search that loads the files as a browser does, and records the loaded files. */
function openSearch(files: readonly IndexFile[]) {
  const loaded: string[] = []
  const load = async (kind: string, number: number) => {
    const file = files.find(({ name }) => name === (kind === 'directory' ? 'directory.js' : `${kind}-${number}.js`))
    if (!file) throw new Error(`no ${kind} ${number}`)
    if (!loaded.includes(file.name)) loaded.push(file.name)
    const put = (gotKind: string, gotNumber: number, data: unknown) => {
      expect([gotKind, gotNumber]).toEqual([kind, number])
      return data
    }
    return new Function('__quireSearch', `return ${file.content.slice(1)}`)(put)
  }
  return { ...createSearch(createTermReader(), load as IndexLoader), loaded }
}

const filler = (seed: string) => Array.from({ length: 40 }, (_, index) => `${seed}${index}`).join(' ')
const pages: Page[] = [
  [
    'install.html',
    'Install the server',
    ['Install the server', '', `How to install it. ${filler('a')}`],
    ['On Linux', 'linux', 'Use the package of your distribution, or readConfig by hand.'],
    ['Configuration', 'configuration', 'The server reads its settings from a file.'],
  ],
  [
    'settings.html',
    'Settings',
    ['Settings', '', `All settings of the server. ${filler('b')}`],
    ['Cache size', 'cache-size', 'How much memory the cache may use. See read_config.'],
  ],
  ['café.html', 'Café Zürich', ['Café Zürich', '', 'A page with accents, and Straßen.']],
  ['日本/index.html', '日本語の文書', ['日本語の文書', '', '東京都の天気を検索します。']],
  ['faq.html', 'Questions', ['Questions', '', `Is there a cache? Where is the configuration? ${filler('c')}`]],
]
const files = makeIndex(pages)
const plain = (texts: MarkedText) => texts.map(({ text, isMark }) => (isMark ? `[${text}]` : text)).join('')

describe('finds', () => {
  const cases: { fact: string; question: string; want: string[] }[] = [
    {
      fact: 'titles before headings before text',
      question: 'settings',
      want: ['settings.html', 'install.html#configuration'],
    },
    { fact: 'headings before text', question: 'configuration', want: ['install.html#configuration', 'faq.html'] },
    { fact: 'words that begin with the last word', question: 'distrib', want: ['install.html#linux'] },
    {
      fact: 'only the whole word if another word follows',
      question: 'distrib server',
      want: ['install.html', 'settings.html'],
    },
    { fact: 'pages that have all words', question: 'cache memory', want: ['settings.html#cache-size'] },
    {
      fact: 'words in several sections of one page',
      question: 'linux configuration',
      want: ['install.html#linux', 'install.html#configuration'],
    },
    {
      fact: 'most of the words if no page has all of them',
      question: 'cache nonsense zürich',
      want: ['café.html', 'settings.html#cache-size', 'faq.html'],
    },
    { fact: 'accents that the question lacks', question: 'zurich', want: ['café.html'] },
    {
      fact: 'accents that the text lacks',
      question: 'sérver séttings',
      want: ['settings.html', 'install.html'],
    },
    { fact: 'folded letters', question: 'strassen', want: ['café.html'] },
    { fact: 'characters without spaces', question: '天気', want: ['日本/index.html'] },
    { fact: 'several pairs of characters', question: '東京都の天気', want: ['日本/index.html'] },
    { fact: 'one character', question: '検', want: ['日本/index.html'] },
    { fact: 'names as a whole', question: 'read_config', want: ['settings.html#cache-size'] },
    { fact: 'names by their parts', question: 'config read', want: ['install.html#linux', 'settings.html#cache-size'] },
    { fact: 'unknown names by their parts', question: 'cache_size', want: ['settings.html#cache-size'] },
    { fact: 'nothing for a question without words', question: ' … ', want: [] },
    { fact: 'nothing for unknown words', question: 'unheard', want: [] },
  ]
  test.each(cases)('$fact: $question', async ({ question, want }) => {
    const hits = await openSearch(files).find(question)
    expect(hits.map(({ path, anchor }) => path + (anchor && `#${anchor}`))).toEqual(want)
  })
})

test('a hit has the name of the page, the heading and a snippet, with the words marked', async () => {
  const [hit] = await openSearch(files).find('cache mem')
  expect(plain(hit?.page ?? [])).toBe('Settings')
  expect(plain(hit?.heading ?? [])).toBe('[Cache] size')
  expect(plain(hit?.snippet ?? [])).toBe('How much [memory] the [cache] may use. See read_config.')
  const [japanese] = await openSearch(files).find('東京都')
  expect(plain(japanese?.snippet ?? [])).toBe('[東京都]の天気を検索します。')
})

test('the snippet of a long text contains most of the words', async () => {
  const text = `${filler('x')} needle ${filler('y')} ${filler('z')} needle in a haystack ${filler('w')}`
  const search = openSearch(makeIndex([['a.html', 'A', ['A', '', text]], ...pages]))
  const [hit] = await search.find('needle haystack')
  const snippet = plain(hit?.snippet ?? [])
  expect(snippet).toMatch(/^… (z\d+ )+\[needle\] in a \[haystack\] (w\d+ )+…$/)
  expect(snippet.length).toBeLessThan(200)
})

test('pages in the language of the reader come first, and pages with the same name show their path', async () => {
  const both: Page[] = [
    ['de/a.html', 'Server', ['Server', '', 'Server']],
    ['en/a.html', 'Server', ['Server', '', 'Server']],
  ]
  const search = openSearch(makeIndex(both, { 'de/a.html': 'de', 'en/a.html': 'en' }))
  const order = async (language: string) => (await search.find('server', language)).map(({ path }) => path)
  expect(await order('en')).toEqual(['en/a.html', 'de/a.html'])
  expect(await order('de')).toEqual(['de/a.html', 'en/a.html'])
  const [hit] = await search.find('server', 'en')
  expect(plain(hit?.page ?? [])).toBe('[Server] · en/a')
})

test('only a part of a large index is loaded', async () => {
  const many = Array.from({ length: 300 }, (_, index): Page => {
    const text = Array.from({ length: 60 }, (_, word) => `w${(index * 61 + word * 17) % 9973}`).join(' ')
    return [`p${index}.html`, `Page ${index}`, [`Page ${index}`, '', `${text} common ${filler(`t${index}`)}`]]
  })
  const large = makeIndex(many)
  const search = openSearch(large)
  expect((await search.find('t150x7 t7 w17')).length).toBeGreaterThan(0)
  const bytes = (names: readonly string[]) =>
    large.filter(({ name }) => names.includes(name)).reduce((sum, { content }) => sum + content.length, 0)
  expect(bytes(search.loaded)).toBeLessThan(bytes(large.map(({ name }) => name)) / 2)
  expect((await search.find('common')).length).toBe(20)
})

test('the same pages give the same bytes, and a changed page gives another build id', () => {
  expect(makeIndex(pages)).toEqual(files)
  const build = (from: readonly IndexFile[]) => /"build":"(\w+)"/.exec(from.at(-1)?.content ?? '')?.[1]
  const changed = makeIndex([...pages.slice(1), ['new.html', 'New', ['New', '', 'new']]])
  expect(build(files)).toMatch(/^[0-9a-f]{12}$/)
  expect(build(changed)).not.toBe(build(files))
})

test('names of object members are normal terms', async () => {
  const search = openSearch(makeIndex([['a.html', 'constructor', ['constructor', '', '__proto__ toString']]]))
  for (const question of ['constructor', '__proto__', 'toString'])
    expect((await search.find(question)).map(({ path }) => path)).toEqual(['a.html'])
})
