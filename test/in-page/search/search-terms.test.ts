import { expect, test } from 'vitest'
import { createTermReader } from '../../../server/in-page/search/search-terms.ts'
import { callInThread } from '../../support/thread.ts'

type Module = typeof import('../../../server/in-page/search/search-terms.ts')

const reader = createTermReader()

test.each<[fact: string, given: string, want: string]>([
  ['in lower case', 'Hello WORLD', 'hello world'],
  ['without accents', 'Über naïve Ångström straße œuvre', 'uber naive angstrom strasse oeuvre'],
  ['with decomposed accents', 'u\u0308ber', 'uber'],
  ['words end at punctuation', 'os.path.join(a, b)', 'os path join a b'],
  [
    'names, and also their parts',
    'read_text readFile HTTPServer',
    'read_text read+ text+ readfile read+ file+ httpserver http+ server+',
  ],
  ['underscores at the edges are part of a name', '__init__ ___', '__init__'],
  ['numbers', '3.11 ES2024', '3 11 es2024 es+ 2024+'],
  ['Cyrillic and Greek', 'Поиск Ψάξε', 'поиск ψαξε'],
  ['pairs of characters where there are no spaces', '東京都です', '東京 京都 都で です す+'],
  ['a single character', '木 a', '木 a'],
  ['scripts side by side', 'API検索v2', 'api 検索 索+ v2'],
  ['full width as half width', 'ＡＰＩ', 'api'],
  ['nothing in punctuation', '… — (*)', ''],
])('%s', (_fact, given, want) => {
  const shown = reader.read(given).map(({ term, isPart }) => term + (isPart ? '+' : ''))
  expect(shown.join(' ')).toBe(want)
})

test('each term has its position in the text', () => {
  const text = 'an Über-readText 東京都'
  const pieces = reader.read(text).map(({ start, end }) => text.slice(start, end))
  expect(pieces).toEqual(['an', 'Über', 'readText', 'read', 'Text', '東京', '京都', '都'])
})

test.each([
  ['letters', 'a', 1],
  ['capitals', 'aA_', 1],
  ['Han characters', '東', 1e6],
] as const)('a word of a million %s is read in linear time', async (_what, piece, want) => {
  const { count, longest } = await callInThread(
    'server/in-page/search/search-terms.ts',
    (module: Module, word: string) => {
      const terms = module.createTermReader().read(word)
      return { count: terms.length, longest: Math.max(...terms.slice(0, 10).map(({ term }) => term.length)) }
    },
    piece.repeat(1e6 / piece.length),
  )
  expect(count).toBeLessThanOrEqual(want + 1)
  expect(longest).toBeLessThanOrEqual(48)
})
