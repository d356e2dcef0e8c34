import { expect, test } from 'vitest'
import { describeDifference, type PagesCheck } from '../../../scripts/bench/export/check-pages.ts'
import { judge } from '../../../scripts/bench/export/goals.ts'
import { type SiteResult, sample, type ToolResult } from '../../../scripts/bench/export/run.ts'

const right: PagesCheck = {
  mode: 'root',
  sampled: 20,
  sameText: 20,
  sameContent: 20,
  sameStyle: 20,
  failed: 0,
  errors: 0,
  outbound: 0,
  brokenLinks: 0,
  lostLinks: 0,
  problems: [],
}
const app = { hydrated: true, themeToggles: true, landsOn: '/b "B"', faults: [] }
const ours: ToolResult = {
  tool: 'quire',
  site: 'docusaurus',
  wallSeconds: 2,
  cpuSeconds: 10,
  copy: { pages: 200, missing: [], files: 300, bytes: 1e6 },
  checks: [right],
  app,
  search: { same: 10, of: 10 },
  again: { outcome: 'same bytes', wallSeconds: 2 },
  falseFindings: [],
}
const peer: ToolResult = {
  tool: 'website-scraper',
  site: 'docusaurus',
  wallSeconds: 7,
  cpuSeconds: 20,
  copy: { pages: 200, missing: [], files: 300, bytes: 1e6 },
}

function missed(changes: Partial<ToolResult>, peers: ToolResult[] = [peer]): string[] {
  const site: SiteResult = {
    site: 'docusaurus',
    description: '',
    pages: 200,
    isUnseen: false,
    app,
    results: [{ ...ours, ...changes }, ...peers],
  }
  return judge(site)
    .filter(({ isMet }) => !isMet)
    .map(({ what }) => what)
}

test.each<[string, Partial<ToolResult>, string[]]>([
  ['nothing', {}, []],
  ['a page', { copy: { pages: 199, missing: ['/x'], files: 1, bytes: 1 } }, ['200 pages']],
  ['the words of a page', { checks: [{ ...right, sameText: 19 }] }, ['root: same text']],
  ['a file', { checks: [{ ...right, failed: 1 }] }, ['root: no failed requests or errors']],
  ['a link', { checks: [{ ...right, lostLinks: 1 }] }, ['root: links work']],
  ['hydration', { app: { ...app, hydrated: false } }, ['hydrated']],
  [
    'the target of a menu link',
    { app: { ...app, landsOn: '/404 "Page not found"' } },
    ['menu link opens the right page'],
  ],
  ['a hit', { search: { same: 9, of: 10 } }, ['same search hits']],
  ['the truth', { falseFindings: ['dead link to /b'] }, ['report is correct']],
  ['bytes', { again: { outcome: 'other bytes', wallSeconds: 2 } }, ['second export has the same bytes']],
  ['time', { wallSeconds: 20 }, ['3 x website-scraper']],
  ['processor time', { cpuSeconds: 11 }, ['half the CPU time of website-scraper']],
  ['all', { copy: undefined, obstacle: 'exit code 1' } as unknown as Partial<ToolResult>, ['copy exists']],
])('a copy that lost %s misses its goals', (_, changes, want) => {
  expect(missed(changes)).toEqual(want)
})

test('speed is judged only if the peer is in the run', () => {
  expect(missed({ wallSeconds: 200 }, [])).toEqual([])
})

test('a sample is spread evenly and always the same', () => {
  expect(sample([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3)).toEqual([0, 3, 6])
  expect(sample([1, 2], 20)).toEqual([1, 2])
})

test('a difference shows the first differing word with its context', () => {
  const want = 'one two three four five six'.split(' ')
  expect(describeDifference(want, 'one two three four cinq'.split(' '))).toBe(
    'word 4: "two three four cinq" <> "two three four five six"; 5 words <> 6',
  )
})
