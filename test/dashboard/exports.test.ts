import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ExportWork } from '../../server/export/jobs/work-board.ts'
import { makeZip } from '../unpack/make-archives.ts'
import { type ExportVisits, emptyReport, findApiWords, openExportVisits, pageOf, strip } from './export-visits.ts'

let visits: ExportVisits
beforeEach(async () => {
  visits = await openExportVisits()
})
afterEach(() => visits.pages.dispose())

describe('the list', () => {
  test('shows the state in words, the place in the queue and the difference in pages', async () => {
    await visits.complete({}, { pageCount: 10 })
    await visits.complete({ paths: ['/a'] }, { pageCount: 1 })
    await visits.complete({}, { pageCount: 12 })
    await visits.complete({}, { pageCount: 12 })
    await visits.complete({}, { pageCount: 9 })
    await visits.fail('It broke.')
    await visits.report(41.7, 5)
    await visits.queue()
    await visits.queue()
    const { text } = await visits.showList()
    const rows = text.slice(text.indexOf('<tbody>')).split('</tr>').slice(0, -1)
    const cells = rows.map(row => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => strip(cell)))
    expect(cells.map(([status]) => status)).toEqual([
      'queued 1 ahead',
      'queued next in line',
      'running 41 %',
      'failed',
      'completed',
      'completed',
      'completed',
      'completed',
      'completed',
    ])
    expect(cells.map(row => row[3])).toEqual(['', '', '', '', '−3', 'as many', '+2', 'first', 'first'])
    expect(text).toContain('id="exports" data-live="3000"')
  })

  test('is in pages of 50, and not live when nothing happens', async () => {
    for (let i = 0; i < 51; i += 1) {
      await visits.fail('It broke.')
    }
    const first = await visits.showList()
    expect(first.text.match(/<tr>/g)).toHaveLength(51)
    expect(first.text).toContain('exports?from=50">Older exports')
    expect(first.text).not.toContain('data-live')
    const second = await visits.showList('from=50')
    expect(second.text.match(/<tr>/g)).toHaveLength(2)
    expect(second.text).toContain('exports?from=0">Newer exports')
    for (const from of ['-1', '1e9', '99999', 'x', '<script>'])
      expect((await visits.showList(`from=${from}`)).status).toBe(200)
  })

  test('reads the requests of few exports, however many there are', async () => {
    await visits.complete({ paths: ['/b', '/a'] }, { pageCount: 1 })
    for (let i = 0; i < 30; i += 1) await visits.complete({ paths: [`/${i}`] })
    await visits.complete({ paths: ['/a', '/b'] }, { pageCount: 3 })
    for (let i = 0; i < 15; i += 1) await visits.complete({ paths: [`/more/${i}`] })
    await visits.complete({ paths: ['/b', '/a'] }, { pageCount: 2 })
    for (let i = 0; i < 49; i += 1) await visits.fail('It broke.')
    const read = new Set<string>()
    const { exportJobs } = visits.pages.deps
    visits.pages.deps.exportJobs = {
      ...exportJobs,
      async list(filter) {
        for (const { jobId } of await exportJobs.list(filter)) read.add(jobId)
        return exportJobs.list(filter)
      },
      findOwned(organizationId, jobId) {
        if (jobId !== '') read.add(jobId)
        return exportJobs.findOwned(organizationId, jobId)
      },
    }
    const { text } = await visits.showList()
    expect(text).toContain('−1')
    // 50 on the page, and the 16 completed ones before the last that may have the same paths.
    expect(read.size).toBe(66)
    const [compared] = (await visits.listJobs()).filter(({ pageCount }) => pageCount === 2)
    read.clear()
    expect((await visits.showJob(compared?.jobId ?? '')).text).toContain('1 fewer than the export before')
    expect([...read]).toEqual([compared?.jobId])
    // 30 exports of other paths are between this one and the one of the same paths.
    const { text: second } = await visits.showList('from=50')
    const rows = second.slice(second.indexOf('<tbody>')).split('</tr>')
    const differences = rows.map(row => strip([...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)][3]?.[1] ?? ''))
    expect(differences[15]).toBe('')
    expect(differences[46]).toBe('first')
  })

  test('says how to begin when it is empty', async () => {
    expect((await visits.showList()).text).toContain('There are no exports yet.')
  })
})

describe('the page of an export', () => {
  test('shows the place in the queue, then the progress, and renews itself', async () => {
    await visits.queue()
    const waiting = await visits.queue()
    const queued = await visits.showJob(waiting)
    expect(queued.text).toContain('1 export of this organization is ahead of it.')
    expect(queued.text).toMatch(/<p role="status"><span id="export-state" data-live="1500">/)
    expect(queued.text).toContain('id="export-now" data-live="1500"')

    const claimed = await visits.pages.store.exportJobs.claim('test', Date.now(), 600_000)
    if (!claimed) throw new Error('no job')
    await visits.pages.store.exportJobs.report(claimed.lease, 42.4, 17, Date.now())
    const running = await visits.showJob(claimed.job.jobId)
    expect(running.text).toContain('<progress max="100" value="42.4"')
    expect(running.text).toContain('42 %')
    expect(running.text).not.toContain('reading pages')
    visits.pages.deps.workBoard.find = () => ({
      stage: 'fetch',
      pagesDone: 17,
      pagesKnown: 40,
      pagesPerSecond: 3.25,
      leftMs: 75_000,
    })
    const watched = strip((await visits.showJob(claimed.job.jobId)).text)
    for (const fact of ['reading pages', '17 of 40 known so far', '3.3 pages a second', 'about 1 min 15 s']) {
      expect(watched).toContain(fact)
    }
  })

  test.each(['queued', 'running', 'failed'] as const)('says why a %s export has no bundle', async status => {
    const jobId = await {
      queued: visits.queue,
      running: () => visits.report(1, 1),
      failed: () => visits.fail('Broken.'),
    }[status]()
    for (const action of ['link', 'download']) {
      const { status: code, text } = pageOf(await visits.act(action, jobId))
      expect(code).toBe(409)
      expect(text).toContain(
        status === 'failed' ? 'so there is no bundle.' : 'It can be fetched when the export is completed.',
      )
      expect(findApiWords(text)).toEqual([])
    }
  })

  test('shows the sentence of a failed export and what to do', async () => {
    const jobId = await visits.fail('The site does not answer. Check its origin.', { version: '3' })
    const { text } = await visits.showJob(jobId)
    expect(text).toContain('The site does not answer. Check its origin.')
    expect(text).toContain(`exports?like=${jobId}#start`)
    expect(text).not.toContain('data-live')
    expect(text).not.toContain('/link"')
  })

  test.each(['zip', 'tar.gz'] as const)('shows the report out of a bundle in %s', async format => {
    const job = await visits.complete(
      { format },
      {
        report: {
          ...emptyReport,
          removedFeatures: [{ product: 'Searcher', feature: 'search', pages: 3 }],
          deadLinks: [{ to: '/gone', reason: 'answered 404', count: 2, pages: ['index.html'] }],
          differences: [{ page: 'a.html', place: 'file', what: 'lacks a menu' }],
          skipped: [{ url: '/private', reason: 'answered 403' }],
        },
      },
    )
    const { text } = await visits.showJob(job.jobId)
    const words = strip(text)
    for (const fact of ['Searcher', 'Search service', '/gone', 'answered 404', 'opened from a file', '/private']) {
      expect(words).toContain(fact)
    }
    expect(words).toContain('Removed features (1)')
    expect(text).toContain(job.bundle?.sha256)
  })

  test.each<[string, { report?: unknown; content?: Buffer }, string]>([
    ['has no report', { content: makeZip([{ name: 'index.html', content: 'x' }]) }, 'has no export-report.json'],
    ['has another file in its place', { report: [1] }, 'is not the report of an export'],
    [
      'has a file that is no JSON',
      { content: makeZip([{ name: 'export-report.json', content: '{' }]) },
      'is not the report',
    ],
    ['is no archive', { content: Buffer.from('not an archive at all') }, 'neither a zip nor a tar.gz'],
    [
      'has a report that is too large',
      { content: makeZip([{ name: 'export-report.json', content: ' '.repeat(33 * 1024 ** 2) }]) },
      'more than 200 times its size',
    ],
  ])('says so in words when the bundle %s', async (_what, bundle, sentence) => {
    const { jobId } = await visits.complete({}, bundle)
    const { status, text } = await visits.showJob(jobId)
    expect(status).toBe(200)
    expect(text).toContain('The report of this export cannot be shown.')
    expect(text).toContain(sentence)
  })

  test('says so in words when the bundle is missing or damaged, and offers no download', async () => {
    const { jobId, bundle } = await visits.complete()
    const file = join(visits.pages.dataFolder, 'bundles', bundle?.fileName ?? '')
    writeFileSync(file, 'other bytes')
    expect((await visits.showJob(jobId)).text).toContain('The bundle of this export is damaged on the disk')
    rmSync(file)
    const { text } = await visits.showJob(jobId)
    expect(text).toContain('The bundle of this export is missing on the disk')
    expect(text).not.toContain(`${jobId}/download"`)
    for (const action of ['link', 'download']) {
      const answer = await visits.act(action, jobId)
      expect(answer).toMatchObject({ status: action === 'link' ? 500 : 409 })
      if ('content' in answer) expect(answer.content.text).toContain('is missing on the disk')
    }
  })
})

test.each<[string, Partial<ExportWork>, string]>([
  ['compares', { stage: 'compare', leftMs: null }, 'Now comparing pages with what a browser shows'],
  ['looks for pages', { stage: 'discover', pagesKnown: 0, leftMs: null }, 'Now looking for pages'],
  ['packs', { stage: 'archive', pagesDone: 1, leftMs: null }, 'Now packing the pages'],
  ['checks', { stage: 'check' }, 'Now checking the pages in a browser Opened 9 of about 21 times Time left about 5 s'],
  ['stands still', { pagesPerSecond: 0.04 }, 'Now reading pages Pages 9 of 21 known so far Time left about 5 s'],
  [
    'is almost done',
    { leftMs: 4999 },
    'Now reading pages Pages 9 of 21 known so far Speed 2.0 pages a second Time left a few seconds',
  ],
  [
    'has begun',
    { pagesPerSecond: null, leftMs: null },
    'Now reading pages Pages 9 of 21 known so far Speed not known yet',
  ],
])('shows no number that jumps or says nothing while the export %s', async (_what, work, facts) => {
  const jobId = await visits.report(61, 9)
  visits.pages.deps.workBoard.find = () => ({
    ...{ stage: 'fetch', pagesDone: 9, pagesKnown: 21, pagesPerSecond: 2, leftMs: 5000 },
    ...work,
  })
  const { text } = await visits.showJob(jobId)
  const card = text.slice(text.indexOf('<div class="card">'), text.indexOf('<div id="export-cancel"'))
  expect(strip(card)).toBe(`61 % 61 % ${facts}`)
})
