import { expect, test } from 'vitest'
import { describeOfflineSearch, describeSearch } from '../../../server/export/bundle/describe-search.ts'
import type { ExportReport, SearchFindings } from '../../../server/export/model/report.ts'

const find = (...words: SearchFindings['words']): Pick<ExportReport, 'siteSearch' | 'offlineSearch'> => ({
  siteSearch: { page: 'index.html', words },
  offlineSearch: null,
})
const remedy = 'Export with --offline-search to get a search that works everywhere.'

test('says nothing about a search that finds as much as at the origin, and about none', () => {
  expect(describeSearch(find({ word: 'config', origin: 12, root: 12, folder: 12, file: 12 }))).toEqual([])
  expect(describeSearch({ siteSearch: null, offlineSearch: null })).toEqual([])
})

test.each([
  [
    { word: 'config', origin: 12, root: 12, folder: 12, file: 12 },
    /^works: .* wherever the bundle is opened, .* for 1 word$/,
  ],
  [{ word: 'config', origin: 12, root: 12, folder: 11, file: 0 }, /^works in part: .* at the root of a host, /],
  [{ word: 'config', origin: 12, root: 3, folder: 3, file: 0 }, /^does not work fully: .* less than at the origin, /],
])('says whether the search of the site works offline: %j', (found, said) => {
  expect(describeOfflineSearch(find(found))).toMatch(said)
})

test('says that the search is packed, or that none was packed or compared', () => {
  const packed = { pages: 2, sections: 3, files: 3, terms: 9, sizeBytes: 9 }
  expect(describeOfflineSearch({ siteSearch: null, offlineSearch: packed })).toMatch(
    /^packed: it covers 2 pages with 3/,
  )
  expect(describeOfflineSearch({ siteSearch: null, offlineSearch: null })).toMatch(/^none was packed, and /)
})

test.each([
  [
    { word: 'config', origin: 12, root: 12, folder: 12, file: 0 },
    '12 hits for "config" at the origin, and none from file://.',
  ],
  [
    { word: 'config', origin: 12, root: 12, folder: 0, file: 0 },
    '12 hits for "config" at the origin, and none in a folder of a host and from file://.',
  ],
  [
    { word: 'config', origin: 12, root: 0, folder: 0, file: 0 },
    '12 hits for "config" at the origin, and none at the root of a host, in a folder of a host and from file://.',
  ],
  [
    { word: 'config', origin: 1, root: 1, folder: 1, file: 0 },
    '1 hit for "config" at the origin, and none from file://.',
  ],
  [
    { word: 'config', origin: 12, root: 12, folder: 3, file: 0 },
    '12 hits for "config" at the origin, and only 3 in a folder of a host and none from file://.',
  ],
])('%j', (found, sentence) => {
  expect(describeSearch(find(found))).toEqual([`The search of the site finds ${sentence} ${remedy}`])
})

test('names the word that is lost in the most places', () => {
  const [sentence] = describeSearch(
    find(
      { word: 'alpha', origin: 2, root: 2, folder: 2, file: 2 },
      { word: 'beta', origin: 5, root: 4, folder: 5, file: 5 },
      { word: 'gamma', origin: 7, root: 7, folder: 7, file: 0 },
    ),
  )
  expect(sentence).toContain('7 hits for "gamma"')
})

test('names the packed search instead of the remedy', () => {
  const packed = { pages: 1, sections: 1, terms: 1, files: 1, sizeBytes: 1 }
  const found = find({ word: 'config', origin: 12, root: 12, folder: 12, file: 0 })
  expect(describeSearch({ ...found, offlineSearch: packed })).toEqual([
    'The search of the site finds 12 hits for "config" at the origin, and none from file://. The packed search works everywhere.',
  ])
})
