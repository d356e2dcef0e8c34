import { expect, test } from 'vitest'
import type { ScriptMode } from '../../../server/export/model/report.ts'
import type { Resource } from '../../../server/export/model/resource.ts'
import { openBundleSearch } from '../../../server/export/verify/compare-search.ts'
import type { SearchTask } from '../../../server/web/browser/use-search.ts'

const page = { key: 'http://site.invalid/', url: new URL('http://site.invalid/') } as Resource
const hits = (word: string, hits: number) => ({ word, hits, loaded: [] })
const origin = {
  scripted: { page, app: null },
  use: {
    way: 'typed' as const,
    looks: 1,
    words: [hits('alpha', 3), hits('page', 0), hits('beta', 5)],
    loaded: [],
    frames: [],
    fetched: [],
    server: null,
  },
}

/** Compares a bundle whose searches find these numbers, in the order in which they are used. */
async function compare(mode: ScriptMode, found: Record<string, number[][]>, expected?: ScriptMode) {
  const used: string[] = []
  const search = async (address: string, _answer: unknown, { words }: SearchTask) => {
    used.push(address.replace(/.*(?=\/any|\/index)/, ''))
    const place = address.startsWith('file:') ? 'file' : address.includes('/any/') ? 'folder' : 'root'
    const counts = found[place]?.shift()
    return counts ? { ...origin.use, words: words.map(({ word }, at) => hits(word, counts[at] ?? 0)) } : null
  }
  const modes = new Map([[page.key, mode]])
  const bundle = { folder: '/bundle', pagePaths: new Map([[page.key, 'index.html']]) }
  const opened = openBundleSearch({ viewer: { search }, modes }, origin, bundle)
  if (expected) opened.startAhead(expected, (_path, text) => text)
  return { compared: await opened.compare(), used }
}

test('compares the words that find something at the origin, in each place', async () => {
  const { compared } = await compare('everywhere', {
    root: [[3, 5]],
    folder: [[3, 5]],
    file: [
      [3, 2],
      [3, 4],
    ],
  })
  expect(compared).toEqual({
    page: 'index.html',
    words: [
      { word: 'alpha', origin: 3, root: 3, folder: 3, file: 3 },
      { word: 'beta', origin: 5, root: 5, folder: 5, file: 4 },
    ],
  })
})

test('a search that finds some hits is used again, and one that finds none is not', async () => {
  const { compared, used } = await compare('everywhere', {
    root: [
      [3, 0],
      [0, 5],
    ],
    folder: [
      [0, 0],
      [3, 5],
    ],
    file: [[3, 5]],
  })
  expect(compared?.words[0]).toEqual({ word: 'alpha', origin: 3, root: 3, folder: 0, file: 3 })
  expect(used).toHaveLength(4)
})

test.each<[ScriptMode, string[]]>([
  ['hosted', ['root', 'folder']],
  ['guarded', ['root']],
  ['frozen', []],
])(
  'with scripts that are %s, the search finds nothing elsewhere, and no browser is needed to know that',
  async (mode, places) => {
    const full = { root: [[3, 5]], folder: [[3, 5]], file: [[3, 5]] }
    const { compared, used } = await compare(mode, full)
    expect(used).toHaveLength(places.length)
    const [first] = compared?.words ?? []
    expect((['root', 'folder', 'file'] as const).filter(place => first?.[place] === 3)).toEqual(places)
  },
)

test('a search that was started ahead is used again if the pages are not what was expected', async () => {
  const found = () => ({ root: [[3, 5]], folder: [[3, 5]], file: [[3, 5]] })
  expect((await compare('guarded', found(), 'guarded')).used).toHaveLength(1)
  const { compared, used } = await compare(
    'hosted',
    {
      ...found(),
      root: [
        [0, 0],
        [3, 5],
      ],
    },
    'guarded',
  )
  expect(used).toHaveLength(3)
  expect(compared?.words[0]).toEqual({ word: 'alpha', origin: 3, root: 3, folder: 3, file: 0 })
})
