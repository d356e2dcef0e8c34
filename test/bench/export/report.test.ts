import { expect, test } from 'vitest'
import type { PlaceVerdict } from '../../../scripts/bench/export/judge.ts'
import { listUnnamed } from '../../../scripts/bench/export/list-unnamed.ts'
import { placeNames } from '../../../scripts/bench/export/place.ts'
import type { BrowserUse } from '../../../scripts/bench/export/recording-browser.ts'
import { listMisses, tableHead, toTableRows } from '../../../scripts/bench/export/report.ts'
import type { Copy, SiteResult } from '../../../scripts/bench/export/run-site.ts'
import { type Difference, type ExportReport, notJudged } from '../../../server/export/model/report.ts'

const right: PlaceVerdict = {
  opened: 6,
  same: 6,
  leastShare: 1,
  failed: [],
  errors: [],
  outbound: [],
  isHydrated: true,
  themeWorks: true,
  tabsWork: true,
  clickWorks: true,
  hits: [3, 1],
  remarks: [],
}

/** The part of a report that the table shows. */
function report(given: Partial<ExportReport>): ExportReport {
  const everything: Difference[] = placeNames.flatMap(place =>
    ['1 of 9 words are not shown', 'an error: x', 'its theme button changes nothing', 'controls do nothing'].map(
      what => ({
        ...{ page: 'index.html', place, what },
      }),
    ),
  )
  const words = [{ word: 'hooks', origin: 3, root: 0, folder: 0, file: 0 }]
  return {
    differences: everything,
    missingFiles: [],
    notes: [],
    siteSearch: { page: '', words },
    ...given,
  } as unknown as ExportReport
}

function copy(places: Partial<Record<'root' | 'folder' | 'file', Partial<PlaceVerdict>>>, missing: string[] = []) {
  const place = (changes: Partial<PlaceVerdict> = {}) => ({ ...right, ...changes })
  return {
    tool: 'quire',
    exitCode: 0,
    wallSeconds: 4,
    cpuSeconds: 5,
    bytes: 2e7,
    verdict: {
      pages: 100,
      missing,
      places: { root: place(places.root), folder: place(places.folder), file: place(places.file) },
    },
    report: report({ scripts: { ...notJudged, mode: 'guarded', reason: 'a script fails in a folder' } }),
    ownFaults: [],
  } satisfies Copy
}

function result(places: Parameters<typeof copy>[0], missing: string[] = [], peers: Copy[] = []): SiteResult {
  const at = '2026-11-22T17:00:00.000Z'
  const copies = [copy(places, missing), ...peers]
  return { site: 'a', description: '', at, loadAverage: 1.25, commit: 'd63922b', hits: [3, 1], copies }
}

const copyBy = (tool: string, wallSeconds: number, cpuSeconds: number): Copy => ({
  ...copy({}),
  tool,
  wallSeconds,
  cpuSeconds,
})
const quick = copyBy('quire --verify static', 2, 3)

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
  ['the tabs', result({ root: { tabsWork: false } }), ['root: tabs dead']],
  ['the click', result({ root: { clickWorks: false } }), ['root: click']],
  ['a hit', result({ root: { hits: [3, 0] } }), ['root: hits 3,0 <> 3,1']],
  ['what the origin does not have', result({ root: { isHydrated: undefined, themeWorks: undefined } }), []],
  ['the truth', { ...result({}), copies: [{ ...copy({}), exitCode: 1 }] }, ['exit code 1']],
  [
    'what its own check finds',
    { ...result({}), copies: [{ ...copy({}), ownFaults: ['a.html root it shows no text', 'b'] }] },
    ['own check: 2 faults, such as a.html root it shows no text'],
  ],
])('a bundle that lost %s', (_, given, want) => {
  expect(listMisses(given)).toEqual(want)
})

test('a site without a verdict misses its goals with the reason', () => {
  expect(listMisses({ ...result({}), obstacle: 'npm run failed' })).toEqual(['npm run failed'])
  const copies = [{ tool: 'quire', obstacle: 'It left no copy.' }]
  expect(listMisses({ ...result({}), copies })).toEqual(['It left no copy.'])
})

test.each<[string, Copy[], string[]]>([
  ['peers that are slower', [quick, copyBy('wget', 3, 1), copyBy('website-scraper', 7, 9)], []],
  ['wget that is faster', [quick, copyBy('wget', 1.5, 1)], ['1.33 of the time of wget']],
  ['wget whose copy is wrong', [quick, { ...copyBy('wget', 1, 1), verdict: copy({ root: { same: 0 } }).verdict }], []],
  [
    'a scraper that is nearly as fast',
    [quick, copyBy('website-scraper', 5, 9)],
    ['less than 3 times as fast as website-scraper'],
  ],
  [
    'a scraper that needs little',
    [quick, copyBy('website-scraper', 7, 5)],
    ['more than half the CPU time of website-scraper'],
  ],
])('speed beside %s', (_, peers, want) => {
  expect(listMisses(result({}, [], peers))).toEqual(want)
})

test('the check is measured beside a script that opens the same pages', () => {
  const withCheck = (cpu: number): SiteResult => {
    const bare = { wall: 9, cpu: 10 }
    const seconds = { static: { wall: 2, cpu: 3 }, default: { wall: 12, cpu: 3 + cpu }, bare }
    return { ...result({}), check: { use: {} as BrowserUse, seconds, rounds: 3 } }
  }
  expect(listMisses(withCheck(12.5))).toEqual([])
  expect(listMisses(withCheck(15))).toEqual(['the check takes 1.50 times the CPU time of a bare script'])
})

test('a row has a cell per column; equal places are written once', () => {
  const [row = ''] = toTableRows(result({ file: { isHydrated: false, hits: [0, 0], same: 4, leastShare: 0.97 } }))
  expect(row.split(' | ')).toHaveLength(tableHead[0]?.split(' | ').length ?? 0)
  expect(row).toBe(
    '| a | quire | 100 of 100 | 6/6, 100% | 6/6, 100% | 4/6, 97% | 0 | 0 | 0 | yes / yes / no | yes | yes | yes | 4: 4 / 4 / 0 | 0 | 0 | 4.0 | 5.0 | ' +
      '- | - | 20 | 1.3 | 2026-11-22 17:00 | d63922b | file: 97% of the words; scripts guarded: a script fails in a folder |',
  )
})

test('a report names what a reader misses in each place, or claims more than there is', () => {
  const lost = {
    root: { leastShare: 0.999 },
    folder: { tabsWork: false },
    file: { hits: [3, 0], errors: ['TypeError'] },
  }
  const { verdict } = copy(lost)
  const unnamed = (given: Partial<ExportReport>) =>
    listUnnamed({ tool: 'quire', verdict, report: report(given) }, [3, 1])
  expect(unnamed({})).toEqual([])
  const differences = [{ page: 'index.html', place: 'folder', what: 'an error: x' }] as const
  expect(unnamed({ differences: [...differences], siteSearch: null })).toEqual([
    'root: 0 pages with other words',
    'folder: tabs dead',
    'file: error TypeError',
    'file: hits 3,0 <> 3,1',
  ])
  const frozenReferences = [{ page: '/reference', product: 'Scalar', removed: [] }]
  expect(unnamed({ differences: [...differences], frozenReferences })).not.toContain('folder: tabs dead')
  const notes = ['The search of the site found nothing at the origin either, so it was not compared.']
  expect(unnamed({ differences: [...differences], siteSearch: null, notes })).not.toContain('file: hits 3,0 <> 3,1')
})
