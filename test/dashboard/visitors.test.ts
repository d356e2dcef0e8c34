// A long file: the tests of the page of visitors share what they record.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatDay, toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { PageNotFound } from '../../server/dashboard/page.ts'
import { visitorsPage } from '../../server/dashboard/pages/visitors.ts'
import type { Organization } from '../../server/tenancy/organization.ts'
import {
  addOrganization,
  addProject,
  createVisit,
  findHostile,
  hostileTexts,
  now,
  openDashboard,
  readDownload,
  showPage,
  type TestDashboard,
  toText,
} from './dashboard-visit.ts'

const today = toDay(now)

let dashboard: TestDashboard
let organization: Organization
beforeEach(async () => {
  dashboard = await openDashboard()
  organization = await addOrganization(dashboard.store)
})
afterEach(() => dashboard.dispose())

/** Records a view of a page by a visitor. */
function view(visitor: number, path: string, { day = today, kind = 'human' as 'human' | 'ai', labels = [''] } = {}) {
  return { visitor: Buffer.alloc(16, visitor), path, day, kind, labels: labels.filter(Boolean) }
}
const record = (...views: ReturnType<typeof view>[]) =>
  dashboard.store.visits.recordBatch(
    'prj_1',
    toViewBatch(
      views.flatMap(({ labels, ...each }) => [
        each,
        ...labels.map(path => ({ ...each, path, kind: 'label' as const })),
      ]),
    ),
  )
const show = (query = '') => showPage(visitorsPage, createVisit(organization, `/visitors${query}`), dashboard.deps)
const showText = async (query = '') => toText((await show(query)).text)
const download = async (query: string) =>
  readDownload(await visitorsPage.show(createVisit(organization, `/visitors${query}`), dashboard.deps))

/** The paths in the table of pages, in order. */
async function listPaths(query: string): Promise<string[]> {
  const { text } = await show(query)
  const table = /<caption class="unseen">Pages<\/caption>.*?<\/table>/s.exec(text)?.[0] ?? ''
  return [...table.matchAll(/<th scope="row">(?:<a [^>]*>)?<code>([^<]*)<\/code>/g)].map(match => match[1] ?? '')
}

test('without a project, the page leads operators to the page of projects', async () => {
  const visit = createVisit(organization, '/visitors', { operator: true })
  const { text } = await showPage(visitorsPage, visit, dashboard.deps)
  expect(text).toContain('<a href="projects">Create the first project</a>')
})

test('without visits, the page says how to import them', async () => {
  await addProject(dashboard.store, 'org_1')
  expect(await showText()).toContain('npx quire visits import --project prj_1 access.log')
})

test('a project of another organization does not exist', async () => {
  await addProject(dashboard.store, 'org_1')
  const other = await addOrganization(dashboard.store, 'org_2', 'Other')
  await addProject(dashboard.store, other.id, 'prj_2', 'Hidden')
  await expect(show('?project=prj_2')).rejects.toBeInstanceOf(PageNotFound)
  await expect(show('?project=prj_2&download=csv')).rejects.toBeInstanceOf(PageNotFound)
  expect(await showText()).not.toContain('Hidden')
})

test('with several projects, a visible form chooses another one and keeps the days and the filter', async () => {
  await addProject(dashboard.store, 'org_1')
  const query = '?project=prj_1&range=7&page=/a&part=2'
  const form = /<form [^>]*>(?:(?!<form).)*?id="field-project".*?<\/form>/s
  expect((await show(query)).text).not.toMatch(form)
  await addProject(dashboard.store, 'org_1', 'prj_2', 'Second')
  const { text } = await show(query)
  const found = form.exec(text)?.[0] ?? ''
  expect(found).toContain('<option value="prj_2">Second</option>')
  expect([...found.matchAll(/type="hidden" name="(.*?)" value="(.*?)"/g)].map(match => match.slice(1))).toEqual([
    ['range', '7'],
    ['page', '/a'],
  ])
  expect(text.indexOf(found)).toBeLessThan(text.indexOf('<details class="other-days"'))
})

async function recordSomeVisits(): Promise<void> {
  await addProject(dashboard.store, 'org_1')
  record(
    view(1, '/guides/start'),
    view(1, '/guides/start', { day: today - 3 }),
    view(2, '/guides/start', { labels: ['from:chatgpt.com/guides/start'] }),
    view(2, '/api', { kind: 'ai', labels: ['agent:GPTBot'] }),
    view(3, '/API/keys', { day: today - 20, kind: 'ai', labels: ['agent:GPTBot'] }),
    view(4, '/b%20c', { day: today - 60, labels: ['neither:seo: AhrefsBot'] }),
  )
}

describe('with visits', () => {
  beforeEach(recordSomeVisits)

  test('the totals count each visitor once, and explain who is both', async () => {
    const text = await showText('?range=7')
    expect(text).toMatch(/People 2 AI 1 Total 2 /)
    expect(text).toContain('1 visitor was a person on one view and AI on another.')
    expect(await showText('?range=7&list=agents')).toContain('GPTBot training 1')
    expect(await showText('?range=7&list=referrers')).toContain('ChatGPT chatgpt.com 1')
  })

  test('the totals and pages are compared with the days before', async () => {
    const text = await showText('?range=7&compare=previous')
    expect(text).toMatch(/People 2 new \(before: 0\) AI 1 new \(before: 0\)/)
    expect(text).toMatch(/Compared with \d{4}-\d\d-\d\d to/)
    expect(text).toMatch(/Change.*\/guides\/start 2 2 0 \+2 \(new\)/s)
    expect(await showText('?range=all&compare=year')).not.toContain('Compared with')
  })

  test.each([
    ['?range=7', ['/guides/start', '/api']],
    ['', ['/guides/start', '/API/keys', '/api']],
    ['?range=90', ['/guides/start', '/API/keys', '/api', '/b%20c']],
    ['?range=all&sort=path', ['/API/keys', '/api', '/b%20c', '/guides/start']],
    ['?range=all&sort=ai', ['/API/keys', '/api', '/b%20c', '/guides/start']],
    ['?range=all&sort=human', ['/guides/start', '/b%20c', '/API/keys', '/api']],
    ['?range=all&find=api', ['/API/keys', '/api']],
    ['?range=all&find=B+c', ['/b%20c']],
    ['?range=all&find=_', []],
    ['?range=custom&from=2026-11-23&to=2026-11-23', ['/guides/start', '/api']],
    ['?range=custom&to=2026-11-22', ['/API/keys', '/b%20c', '/guides/start']],
    ['?range=nonsense&sort=nonsense&part=-1&class=nonsense', ['/guides/start', '/API/keys', '/api']],
    ['?part=9999', []],
    ['?page=api', ['/guides/start', '/API/keys', '/api']],
    ['?range=365', ['/guides/start', '/API/keys', '/api', '/b%20c']],
  ])('%s shows these pages', async (query, want) => {
    expect(await listPaths(query)).toEqual(want)
  })

  test.each([
    ['?range=custom&from=2026-02-30&to=2026-11-23', 'from', 'This is not a date.'],
    ['?range=custom&from=2026-11-01T00:00:00Z', 'from', 'This is not a date.'],
    ['?range=custom&from=0001-01-01&to=9999-12-31&compare=previous', 'from', 'Choose a day from 1970-01-01'],
    ['?range=custom&to=2201-01-01', 'to', 'Choose a day from 1970-01-01'],
    ['?range=custom&from=2026-11-02&to=2026-11-01', 'to', 'The last day is before the first day.'],
  ])('%s is refused at its field, and stays there', async (query, field, problem) => {
    const { status, text } = await show(query)
    expect(status).toBe(400)
    expect(toText(text)).toContain(problem)
    const typed = new URLSearchParams(query).get(field)
    expect(text).toMatch(new RegExp(`name="${field}" value="${typed}"[^>]*aria-invalid="true"`))
  })

  test('days without visits lead to all days', async () => {
    const { text } = await show('?range=custom&from=2020-01-01&to=2020-01-31')
    expect(toText(text)).toContain(
      'There are no visits of Docs in these days. Its visits are from 2026-09-24 to 2026-11-23.',
    )
    expect(text).toContain('href="visitors?project=prj_1&amp;range=all"')
  })

  test('the chart has the numbers of its table, by UTC day', async () => {
    const { text } = await show('?range=7')
    const data = JSON.parse((/data-chart="([^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&quot;', '"'))
    expect(data.days.map((seconds: number) => formatDay(seconds / 86_400))).toEqual(
      Array.from({ length: 7 }, (_, i) => `2026-11-${17 + i}`),
    )
    expect(data).toMatchObject({
      human: [0, 0, 0, 1, 0, 0, 2],
      ai: [0, 0, 0, 0, 0, 0, 1],
      total: [0, 0, 0, 1, 0, 0, 2],
      isUnfinished: true,
    })
    expect(data.before).toBeUndefined()
    expect(toText(text)).toContain('2026-11-23 (so far) 2 1 2')
  })

  test('the downloads have all pages of the range', async () => {
    const csv = await download('?range=all&find=api&download=csv')
    expect(csv).toEqual({
      fileName: 'visitors-prj_1.csv',
      contentType: 'text/csv; charset=utf-8',
      text: 'path,human,ai,total\r\n/guides/start,2,0,2\r\n/API/keys,0,1,1\r\n/api,0,1,1\r\n/b%20c,1,0,1\r\n',
    })
    const json = await download('?range=custom&from=2026-11-01&to=2026-11-22&download=json')
    expect(json.fileName).toBe('visitors-prj_1-from-2026-11-01-to-2026-11-22.json')
    expect(JSON.parse(json.text)).toMatchObject({
      project: 'prj_1',
      dateFrom: '2026-11-01',
      dateTo: '2026-11-23',
      totals: { human: 1, ai: 1, both: 0, total: 2 },
      pages: [
        { path: '/API/keys', human: 0, ai: 1, total: 1 },
        { path: '/guides/start', human: 1, ai: 0, total: 1 },
      ],
    })
  })

  test('pruned days are told', async () => {
    await dashboard.store.visits.pruneSeen('prj_1', today - 10)
    expect(await showText('?range=90')).toContain('The visitors before 2026-11-13 were pruned')
    expect(await showText('?range=7')).not.toContain('pruned')
  })
})

test('damaged visits are told to operators with the remedy, and to members without paths', async () => {
  await addProject(dashboard.store, 'org_1')
  const { deps } = dashboard
  const { UnusableVisitsError } = await import('../../server/analytics/unusable-visits.ts')
  const visits = {
    ...deps.visits,
    readReport: () => Promise.reject(new UnusableVisitsError('visits/prj_1.db is damaged')),
  }
  const showAs = (operator: boolean) =>
    showPage(visitorsPage, createVisit(organization, '/visitors', { operator }), { ...deps, visits })
  expect((await showAs(true)).text).toContain('visits/prj_1.db is damaged')
  const { status, text } = await showAs(false)
  expect(status).toBe(503)
  expect(text).not.toContain('visits/prj_1.db')
})

test('pages that failed are shown with the agents and sites', async () => {
  await recordSomeVisits()
  record(view(5, '/', { labels: ['failed:human:missing/old chatgpt.com'] }))
  record(
    view(6, '/', { kind: 'ai', labels: ['failed:ai:missing/old GPTBot', 'file:ai:Markdown', 'read:Markdown:GPTBot'] }),
  )
  const text = await showText('?range=7&list=failures')
  expect(text).toMatch(/Pages that were not found 1 person and 1 AI visitor asked for such pages/)
  expect(await showText('?range=7&list=agents')).toContain('GPTBot Markdown 1')
  expect(text).toContain('/old 1 1 GPTBot (1), chatgpt.com (1)')
  expect(text).not.toContain('Pages with a server error')
})

test('an agent has its share of the pages, and people their loaded pages', async () => {
  await recordSomeVisits()
  expect(await showText('?range=7&list=agents')).not.toContain('loaded the page')
  record(
    view(8, '/guides/start', { kind: 'ai', labels: ['agent:ChatGPT-User'] }),
    view(1, '/api', { labels: ['loaded:'] }),
  )
  const text = await showText('?range=7&list=agents')
  expect(text).toContain('GPTBot training 1 1 (50 %)')
  expect(text).toContain('2 pages had visitors in these days.')
  const loaded = '1 of 2 people had a browser that loaded the page'
  expect(text).toContain(loaded)
  for (const list of ['pages', 'referrers', 'failures'])
    expect(await showText(`?range=7&list=${list}`)).toContain(loaded)
  expect(await showText('?range=7&agent=GPTBot')).not.toContain('loaded the page')
})

test('ten pages are shown, or all in parts of 100', async () => {
  await addProject(dashboard.store, 'org_1')
  record(...Array.from({ length: 120 }, (_, i) => view(i, `/page-${String(i).padStart(3, '0')}`)))
  const few = await show('?sort=path&part=2')
  expect(toText(few.text)).toContain('11 to 20 of 120')
  expect(few.text).toContain(
    'href="visitors?project=prj_1&amp;range=30&amp;sort=path&amp;all=1#list">100 at a time</a>',
  )
  expect((await show('?find=page-01')).text).not.toContain('at a time')
  expect(await listPaths('?sort=path&all=1&part=2')).toEqual(
    Array.from({ length: 20 }, (_, i) => `/page-${String(i + 100).padStart(3, '0')}`),
  )
  const { text } = await show('?sort=path&all=1&part=2')
  expect(toText(text)).toContain('101 to 120 of 120')
  expect(text).not.toContain('class="button" rel="next"')
  expect(text).toContain('rel="prev" href="visitors?project=prj_1&amp;range=30&amp;sort=path&amp;all=1#list"')
})

test('hostile paths, agents, names and queries stay texts', async () => {
  await addProject(dashboard.store, 'org_1', 'prj_1', hostileTexts.join(' '))
  await addProject(dashboard.store, 'org_1', 'prj_2', hostileTexts[0])
  record(
    ...hostileTexts.map((text, i) =>
      view(i, `/${text}`, { labels: [`agent:${text}`, `neither:${text}`, `from:chatgpt.com/${text}`] }),
    ),
    view(9, '/', { kind: 'ai', labels: ['agent:<script>'] }),
  )
  for (const text of ['', ...hostileTexts]) {
    const typed = encodeURIComponent(text)
    const queries = [
      `?project=prj_1&find=${typed}&sort=${typed}&page=${typed}`,
      `?project=prj_1&range=custom&from=${typed}&to=${typed}`,
      `?project=prj_1&range=${typed}`,
      `?project=prj_1&page=/${typed}&agent=${typed}&assistant=${typed}&referrer=${typed}&list=agents`,
      `?project=prj_1&list=${['agents', 'referrers', 'failures'][typed.length % 3]}`,
    ]
    for (const query of queries) expect(findHostile((await show(query)).text), query).toEqual([])
  }
  const shown = toText((await show('?project=prj_1')).text)
  for (const text of hostileTexts) expect(shown).toContain(`/${text}`.replaceAll(/\s+/g, ' '))
  const { text } = await download('?project=prj_1&download=json')
  expect(JSON.parse(text).pages).toHaveLength(hostileTexts.length + 1)
})

describe('a filter', () => {
  beforeEach(async () => {
    await recordSomeVisits()
    record(
      view(8, '/guides/start', { kind: 'ai', labels: ['agent:ChatGPT-User'] }),
      view(9, '/', { labels: ['failed:human:missing/old chatgpt.com'] }),
      view(6, '/', { day: today - 9, kind: 'ai', labels: ['agent:GPTBot'] }),
    )
  })

  test.each([
    ['page=/guides/start', [2, 1, 3], ['/guides/start']],
    ['page=/guides/start/', [2, 1, 3], ['/guides/start']],
    ['agent=GPTBot', [0, 1, 1], ['/api']],
    ['class=assistant', [0, 1, 1], ['/guides/start']],
    ['assistant=ChatGPT', [1, 1, 2], ['/guides/start']],
    ['referrer=chatgpt.com', [1, 0, 1], ['/guides/start']],
    ['page=/api&class=assistant', [0, 0, 0], []],
    ['page=/guides/start&agent=ChatGPT-User', [0, 1, 1], ['/guides/start']],
  ])('%s narrows the totals, the chart and the pages', async (filter, totals, paths) => {
    const { text } = await show(`?range=7&${filter}`)
    const [people, ai, total] = totals
    expect(toText(text)).toContain(`People ${people} AI ${ai} Total ${total} `)
    const chart = JSON.parse((/data-chart="([^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&quot;', '"'))
    expect(Math.max(...chart.total)).toBe(total)
    expect(await listPaths(`?range=7&${filter}`)).toEqual(paths)
  })

  test('is a link on each page, agent, use, assistant and site, and a chip that removes it', async () => {
    expect((await show('?range=7')).text).toContain(
      '<a href="visitors?project=prj_1&amp;range=7&amp;page=%2Fapi"><code>',
    )
    const agents = (await show('?range=7&list=agents&page=/api')).text
    const kept = 'visitors?project=prj_1&amp;range=7&amp;page=%2Fapi'
    expect(agents).toContain(`<a href="${kept}&amp;agent=GPTBot&amp;list=agents">GPTBot</a>`)
    expect(agents).toContain(`<a href="${kept}&amp;class=training&amp;list=agents">training</a>`)
    const referrers = (await show('?range=7&list=referrers')).text
    expect(referrers).toContain('&amp;assistant=ChatGPT&amp;list=referrers">ChatGPT</a>')
    expect(referrers).toContain('&amp;referrer=chatgpt.com&amp;list=referrers">chatgpt.com</a>')
    const { text } = await show('?range=7&page=/api&agent=GPTBot')
    expect(text).toContain(
      'href="visitors?project=prj_1&amp;range=7&amp;agent=GPTBot" aria-label="Remove the filter Page: /api"',
    )
    expect(text).toContain('<a data-clear href="visitors?project=prj_1&amp;range=7">Remove all filters</a>')
    expect(toText(text)).not.toContain('Referrers')
  })

  test('narrows the failures and the comparison', async () => {
    expect(await showText('?range=7&list=failures&referrer=chatgpt.com')).toContain('/old 1 0 chatgpt.com (1)')
    expect(await showText('?range=7&list=failures&agent=GPTBot')).toContain('No page failed in these days.')
    const compared = await showText('?range=7&compare=previous&agent=GPTBot&list=agents')
    expect(compared).toMatch(/AI 1 0 % \(before: 1\)/)
    expect(compared).toContain('GPTBot training 1 0')
  })

  test('by page lists the agents that read the page in either range', async () => {
    const read = (visitor: number, path: string, agent: string, day = today) =>
      view(visitor, path, { day, kind: 'ai', labels: [`agent:${agent}`] })
    record(
      read(11, '/api', 'ClaudeBot', today - 8),
      read(12, '/other', 'CCBot'),
      read(13, '/other', 'CCBot', today - 8),
    )
    const text = await showText('?range=7&compare=previous&page=/api&list=agents')
    expect(text).toMatch(/GPTBot training 1 \+1 \(new\) ClaudeBot training 0 -1 \(-100 %\)/)
    expect(text).not.toContain('CCBot')
  })

  test('is in the downloads', async () => {
    expect(await download('?range=7&assistant=ChatGPT&download=csv')).toEqual({
      fileName: 'visitors-prj_1-assistant-ChatGPT-from-2026-11-17-to-2026-11-23.csv',
      contentType: 'text/csv; charset=utf-8',
      text: 'path,human,ai,total\r\n/guides/start,1,1,2\r\n',
    })
    const json = JSON.parse((await download('?range=7&agent=GPTBot&download=json')).text)
    expect(json).toMatchObject({
      filter: { agent: 'GPTBot' },
      totals: { ai: 1, total: 1 },
      pages: [{ path: '/api', ai: 1 }],
    })
  })

  test('by agents says since when their pages are known', async () => {
    await dashboard.store.visits.pruneSeen('prj_1', today - 10)
    for (const query of ['agent=GPTBot', 'page=/api&list=agents']) {
      expect(await showText(`?range=90&${query}`)).toContain('The visitors before 2026-11-13 were deleted')
    }
    expect(await showText('?range=90&page=/api')).not.toContain('were deleted')
    expect(await showText('?range=7&agent=GPTBot')).not.toContain('were deleted')
  })
})

test.each([
  ['today', '2026-11-23', '2026-11-23', false],
  ['yesterday', '2026-11-22', '2026-11-22', true],
  ['month', '2026-11-01', '2026-11-23', false],
  ['last-month', '2026-10-01', '2026-10-31', true],
  ['year', '2026-01-01', '2026-11-23', false],
])('the range %s is %s to %s, and only a range with today renews itself', async (range, from, to, isOver) => {
  await addProject(dashboard.store, 'org_1')
  record(view(1, '/', { day: today - 400 }), view(1, '/'))
  const { text } = await show(`?range=${range}`)
  expect(toText(text)).toContain(from === to ? `Visitors on ${from} (UTC)` : `Visitors from ${from} to ${to} (UTC)`)
  expect(text.includes('data-live="60000"')).toBe(!isOver)
})

test('the days before and after a range are a link away, up to today', async () => {
  await addProject(dashboard.store, 'org_1')
  record(view(1, '/'))
  const { text } = await show('?range=custom&from=2026-11-10&to=2026-11-16&agent=GPTBot')
  const link = (from: string, to: string) =>
    `href="visitors?project=prj_1&amp;range=custom&amp;from=${from}&amp;to=${to}&amp;agent=GPTBot"`
  expect(text).toContain(`<a rel="prev" ${link('2026-11-03', '2026-11-09')}`)
  expect(text).toContain(`<a rel="next" ${link('2026-11-17', '2026-11-23')}`)
  expect((await show('?range=7')).text).not.toContain('<a rel="next"')
})
