import { expect, test } from 'vitest'
import type { PlaceVerdict } from '../../../scripts/bench/export-gallery/judge.ts'
import { listMisses, tableHead, toTableRow } from '../../../scripts/bench/export-gallery/report.ts'
import type { SiteResult } from '../../../scripts/bench/export-gallery/run-site.ts'

const right: PlaceVerdict = {
  opened: 6,
  same: 6,
  leastShare: 1,
  failed: [],
  errors: [],
  outbound: [],
  isHydrated: true,
  themeWorks: true,
  clickWorks: true,
  hits: [3, 1],
  remarks: [],
}

function result(places: Partial<Record<'root' | 'folder' | 'file', Partial<PlaceVerdict>>>, missing: string[] = []) {
  const place = (changes: Partial<PlaceVerdict> = {}) => ({ ...right, ...changes })
  return {
    site: 'a',
    description: '',
    isUnseen: false,
    at: '2026-11-22T17:00:00.000Z',
    loadAverage: 1.25,
    commit: 'd63922b',
    exitCode: 0,
    wallSeconds: 2,
    verdict: {
      pages: 100,
      missing,
      places: { root: place(places.root), folder: place(places.folder), file: place(places.file) },
    },
    hits: [3, 1],
    scripts: { mode: 'guarded', reason: 'a script fails in a folder' },
  } satisfies SiteResult
}

test.each<[string, SiteResult, string[]]>([
  ['nothing', result({}), []],
  ['one page of a hundred', result({}, ['/x']), []],
  ['two pages of a hundred', result({}, ['/x', '/y']), ['2 pages missing, such as /x']],
  ['a word at the root', result({ root: { same: 5, leastShare: 0.999 } }), ['root: 1 pages with other words']],
  ['few words in a folder', result({ folder: { same: 0, leastShare: 0.991 } }), []],
  ['many words from file://', result({ file: { same: 0, leastShare: 0.9899 } }), ['file: 98.9% of the words']],
  ['an address', result({ file: { outbound: ['GET x'] } }), ['file: outbound GET x']],
  ['a request', result({ folder: { failed: ['/x 404'] } }), ['folder: failed /x 404']],
  ['an error', result({ root: { errors: ['TypeError'] } }), ['root: error TypeError']],
  ['scripts elsewhere', result({ file: { isHydrated: false, themeWorks: false, clickWorks: false, hits: [] } }), []],
  ['hydration', result({ root: { isHydrated: false } }), ['root: not hydrated']],
  ['the theme', result({ root: { themeWorks: false } }), ['root: theme button dead']],
  ['the click', result({ root: { clickWorks: false } }), ['root: click']],
  ['a hit', result({ root: { hits: [3, 0] } }), ['root: hits 3,0 <> 3,1']],
  ['what the origin does not have', result({ root: { isHydrated: undefined, themeWorks: undefined } }), []],
  ['the truth', { ...result({}), exitCode: 1 }, ['exit code 1']],
])('a bundle that lost %s', (_, given, want) => {
  expect(listMisses(given)).toEqual(want)
})

test('a site without a verdict misses its goals with the reason', () => {
  const { verdict: _, ...rest } = result({})
  expect(listMisses({ ...rest, obstacle: 'npm run failed' })).toEqual(['npm run failed'])
})

test('a row has a cell per column; equal places are written once', () => {
  const row = toTableRow(result({ file: { isHydrated: false, hits: [0, 0], same: 4, leastShare: 0.97 } }))
  expect(row.split(' | ')).toHaveLength(tableHead[0]?.split(' | ').length ?? 0)
  expect(row).toBe(
    '| a | 100 of 100 | 6/6, 100% | 6/6, 100% | 4/6, 97% | 0 | 0 | 0 | yes / yes / no | yes | yes | 4: 4 / 4 / 0 | 2.0 | 1.3 | ' +
      '2026-11-22 17:00 | d63922b | file: 97% of the words; scripts guarded: a script fails in a folder |',
  )
})
