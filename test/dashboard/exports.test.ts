import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PageNotFound } from '../../server/dashboard/page.ts'
import { exportPage } from '../../server/dashboard/pages/export.ts'
import { exportsPage } from '../../server/dashboard/pages/exports.ts'
import type { ExportJob, ExportRequest } from '../../server/export/jobs/export-job.ts'
import { createId } from '../../server/tenancy/id.ts'
import { queuedJob } from '../support/export-job.ts'
import { makeTarGz, makeZip } from '../unpack/make-archives.ts'
import { addOrganization, findInjected, hostileTexts, openPageVisits, type PageVisits } from './page-visit.ts'

let pages: PageVisits
let own: Awaited<ReturnType<typeof addOrganization>>
let other: Awaited<ReturnType<typeof addOrganization>>
let clock: number

beforeEach(async () => {
  pages = await openPageVisits({ maxQueuedExports: 3 })
  own = await addOrganization(pages.store)
  other = await addOrganization(pages.store)
  clock = Date.now() - 60_000
})
afterEach(() => pages.dispose())

const listJobs = async (organizationId = own.organizationId) => pages.store.exportJobs.list({ organizationId })
const showList = (query = '') => pages.read(exportsPage, { organizationId: own.organizationId, query })
const showJob = (jobId: string) => pages.read(exportPage, { organizationId: own.organizationId, params: { jobId } })
const act = (action: string, jobId: string, form: Record<string, string> = {}) =>
  pages.visit(exportPage, { organizationId: own.organizationId, params: { jobId }, action, form })
const start = (form: Record<string, string>, organizationId = own.organizationId) =>
  pages.visit(exportsPage, {
    organizationId,
    action: 'start',
    form: { domain: own.domain, deployment: 'air-gapped', format: 'zip', key: 'key-1', ...form },
  })

async function queue(request: Partial<ExportRequest> = {}, organizationId = own.organizationId): Promise<string> {
  clock += 1000
  const job = queuedJob({
    jobId: createId('se'),
    organizationId,
    createdAt: clock,
    request: { domain: own.domain, ...request },
  })
  await pages.store.exportJobs.start(job, undefined, 0)
  return job.jobId
}

/** Queues a job and claims it; no other job may be queued. */
async function run(request: Partial<ExportRequest> = {}, organizationId?: string) {
  const jobId = await queue(request, organizationId)
  const claimed = await pages.store.exportJobs.claim('test', clock, 600_000)
  if (claimed?.job.jobId !== jobId) throw new Error('another job was claimed')
  return { jobId, lease: claimed.lease }
}

const emptyReport = { domain: 'docs.example.com', pages: 3 }

async function complete(
  request: Partial<ExportRequest> = {},
  { pageCount = 3, report = emptyReport as unknown, content = undefined as Buffer | undefined } = {},
): Promise<ExportJob> {
  const { jobId, lease } = await run(request)
  const make = request.format === 'tar.gz' ? makeTarGz : makeZip
  const files = [
    { name: 'a.html', content: 'a' },
    { name: 'export-report.json', content: JSON.stringify(report) },
    { name: 'index.html', content: 'b' },
  ]
  const bytes = content ?? make(files)
  const fileName = `${jobId}-1.${request.format ?? 'zip'}`
  mkdirSync(join(pages.dataFolder, 'bundles'), { recursive: true })
  writeFileSync(join(pages.dataFolder, 'bundles', fileName), bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  clock += 500
  await pages.store.exportJobs.complete(lease, { fileName, sizeBytes: bytes.length, sha256 }, pageCount, clock)
  return (await pages.store.exportJobs.find(jobId)) as ExportJob
}

describe('the form', () => {
  test('starts an export with the settings, and leads to its page', async () => {
    const answer = await start({
      version: ' Release 2.4 ',
      paths: `/guide\r\n\r\nindex\n/guide\nhttps://${own.domain}/api/start\n`,
      deployment: 'client-hosted',
      'client-hosted.search': 'on',
      'air-gapped.playground': 'on',
      offlineSearch: 'on',
      format: 'tar.gz',
    })
    const [job] = await listJobs()
    expect(answer).toEqual({ leadTo: `/exports/${job?.jobId}`, notice: 'export-started' })
    expect(job?.request).toMatchObject({
      domain: own.domain,
      version: 'Release 2.4',
      paths: ['/guide', '/', '/api/start'],
      deployment: 'client-hosted',
      features: { search: true, assistant: false, analytics: false, playground: true },
      offlineSearch: true,
      format: 'tar.gz',
    })
    expect(pages.audited).toEqual([`export.started ${job?.jobId}`])
  })

  test('starts one export when its button is pressed twice', async () => {
    const [first, second] = await Promise.all([start({}), start({})])
    expect(second).toEqual(first)
    expect(await listJobs()).toHaveLength(1)
    expect(pages.audited).toHaveLength(1)
  })

  test('asks once more when a used form is sent with other settings, and starts then', async () => {
    await start({})
    const answer = await start({ version: '2' })
    if (!('content' in answer)) throw new Error('no page')
    expect(answer.status).toBe(409)
    expect(answer.content.text).toContain('This form has already started an export')
    const key = /name="key" value="([^"]+)"/.exec(answer.content.text)?.[1] ?? ''
    expect(key).toMatch(/^[\w-]{36}$/)
    await start({ version: '2', key })
    expect(await listJobs()).toHaveLength(2)
  })

  test.each([
    ['a label that is none', { version: 'ü' }, 400, 'Version must be a label'],
    ['a path that is none', { paths: '/good\nguide?x=1' }, 400, '&quot;guide?x=1&quot; must be the path of a page'],
    ['a site that is not registered', { domain: 'elsewhere.example.com' }, 400, 'Domain is not a registered site'],
    ['a deployment of nobody', { deployment: 'moon' }, 400, 'Deployment must be'],
    ['an unknown format', { format: 'rar' }, 400, 'Format must be'],
  ])('answers %s at its field and keeps what was typed', async (_what, wrong, status, sentence) => {
    const typed = { version: 'v1.2', paths: '/kept', ...wrong }
    const answer = await start(typed)
    if (!('content' in answer)) throw new Error('no page')
    expect(answer.status).toBe(status)
    const { text } = answer.content
    expect(text).toContain(sentence)
    expect(text).toContain('role="alert"')
    expect(text).toContain(`value="${typed.version}"`)
    expect(text).toContain(typed.paths.split('\n').at(-1))
    expect(await listJobs()).toEqual([])
    expect(pages.audited).toEqual([])
  })
})

describe('the form says', () => {
  test('why the plan does not allow it, and keeps what was typed', async () => {
    const standard = await addOrganization(pages.store, { plan: 'standard' })
    const answer = await start({ domain: standard.domain, version: 'kept' }, standard.organizationId)
    if (!('content' in answer)) throw new Error('no page')
    expect(answer.status).toBe(403)
    expect(answer.content.text).toContain('Static export needs the enterprise plan.')
    expect(answer.content.text).toContain('value="kept"')
    expect(await listJobs(standard.organizationId)).toEqual([])
  })

  test('that the queue is full', async () => {
    for (let i = 0; i < 3; i += 1) await queue()
    const answer = await start({ version: 'kept' })
    if (!('content' in answer)) throw new Error('no page')
    expect(answer.status).toBe(429)
    expect(answer.content.text).toContain('has 3 queued exports, and the limit is 3')
    expect(answer.content.text).toContain('value="kept"')
  })

  test('offers the sites of the organization only, and to register one if there is none', async () => {
    const { text } = await showList()
    expect(text).toContain(`<option value="${own.domain}">`)
    expect(text).not.toContain(other.domain)
    await pages.store.sites.delete(own.domain)
    expect((await showList()).text).toContain('Register a site first')
  })

  test('what each deployment fixes, and offers what is left', async () => {
    const { text } = await showList()
    const names = [...text.matchAll(/type="checkbox" name="([^"]+)"/g)].map(([, name]) => name)
    expect(names).toEqual([
      'air-gapped.playground',
      'client-hosted.search',
      'client-hosted.assistant',
      'client-hosted.analytics',
      'offlineSearch',
    ])
    expect(text).toContain('because they need a cloud service')
  })

  test('is filled in like an earlier export', async () => {
    const { jobId } = await complete({
      version: '7.1',
      paths: ['/a', '/b'],
      deployment: 'client-hosted',
      features: { search: true, assistant: false, analytics: false, playground: true },
      format: 'tar.gz',
    })
    const { text } = await showList(`like=${jobId}`)
    expect(text).toContain('value="7.1"')
    expect(text).toContain('/a\n/b</textarea>')
    expect(text).toContain('name="client-hosted.search" checked')
    expect(text).toContain('value="client-hosted" checked')
    expect(text).toContain('<option value="tar.gz" selected>')
    const answer = await start({ version: '7.1', paths: '/a\n/b' })
    expect(answer).toHaveProperty('leadTo')
  })
})

describe('the list', () => {
  test('shows the state in words, the place in the queue and the difference in pages', async () => {
    await complete({}, { pageCount: 10 })
    await complete({ paths: ['/a'] }, { pageCount: 1 })
    await complete({}, { pageCount: 12 })
    await complete({}, { pageCount: 12 })
    await complete({}, { pageCount: 9 })
    const failing = await run()
    await pages.store.exportJobs.fail(failing.lease, 'It broke.', clock)
    const running = await run()
    await pages.store.exportJobs.report(running.lease, 41.7, 5, clock)
    await queue()
    await queue()
    const { text } = await showList()
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
    expect(cells.map(row => row[3])).toEqual(['', '', '', '', '−3', 'the same', '+2', 'first', 'first'])
    expect(text).toContain('id="exports" data-live="3000"')
  })

  test('is in pages of 50, and not live when nothing happens', async () => {
    for (let i = 0; i < 51; i += 1) {
      const { lease } = await run()
      await pages.store.exportJobs.fail(lease, 'It broke.', clock)
    }
    const first = await showList()
    expect(first.text.match(/<tr>/g)).toHaveLength(51)
    expect(first.text).toContain('exports?from=50">Older exports')
    expect(first.text).not.toContain('data-live')
    const second = await showList('from=50')
    expect(second.text.match(/<tr>/g)).toHaveLength(2)
    expect(second.text).toContain('exports?from=0">Newer exports')
    for (const from of ['-1', '1e9', '99999', 'x', '<script>'])
      expect((await showList(`from=${from}`)).status).toBe(200)
  })

  test('says how to begin when it is empty', async () => {
    expect((await showList()).text).toContain('There are no exports yet.')
  })
})

describe('the page of an export', () => {
  test('shows the place in the queue, then the progress, and renews itself', async () => {
    await queue()
    const waiting = await queue()
    const queued = await showJob(waiting)
    expect(queued.text).toContain('1 export of this organization is ahead of it.')
    expect(queued.text).toMatch(/<p role="status"><span id="export-state" data-live="1500">/)
    expect(queued.text).toContain('id="export-now" data-live="1500"')

    const claimed = await pages.store.exportJobs.claim('test', clock, 600_000)
    if (!claimed) throw new Error('no job')
    await pages.store.exportJobs.report(claimed.lease, 42.4, 17, clock)
    const running = await showJob(claimed.job.jobId)
    expect(running.text).toContain('<progress max="100" value="42.4"')
    expect(running.text).toContain('42 %')
    expect(running.text).not.toContain('reading pages')
    pages.deps.workBoard.find = () => ({
      stage: 'fetch',
      pagesDone: 17,
      pagesKnown: 40,
      pagesPerSecond: 3.25,
      leftMs: 75_000,
    })
    const watched = strip((await showJob(claimed.job.jobId)).text)
    for (const fact of ['reading pages', '17 of 40 known so far', '3.3 pages a second', 'about 1 min 15 s']) {
      expect(watched).toContain(fact)
    }
  })

  test('shows the sentence of a failed export and what to do', async () => {
    const { jobId, lease } = await run({ version: '3' })
    await pages.store.exportJobs.fail(lease, 'The site does not answer. Check its origin.', clock)
    const { text } = await showJob(jobId)
    expect(text).toContain('The site does not answer. Check its origin.')
    expect(text).toContain(`exports?like=${jobId}#start`)
    expect(text).not.toContain('data-live')
    expect(text).not.toContain('/link"')
  })

  test.each(['zip', 'tar.gz'] as const)('shows the report out of a bundle in %s', async format => {
    const job = await complete(
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
    const { text } = await showJob(job.jobId)
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
    const { jobId } = await complete({}, bundle)
    const { status, text } = await showJob(jobId)
    expect(status).toBe(200)
    expect(text).toContain('The report of this export cannot be shown.')
    expect(text).toContain(sentence)
  })

  test('says so in words when the bundle is missing or damaged, and offers no download', async () => {
    const { jobId, bundle } = await complete()
    const file = pages.deps.bundles.pathOf(bundle?.fileName ?? '')
    writeFileSync(file, 'other bytes')
    expect((await showJob(jobId)).text).toContain('The bundle of this export is damaged on the disk')
    rmSync(file)
    const { text } = await showJob(jobId)
    expect(text).toContain('The bundle of this export is missing on the disk')
    expect(text).not.toContain(`${jobId}/download"`)
    for (const action of ['link', 'download']) {
      const answer = await act(action, jobId)
      expect(answer).toMatchObject({ status: action === 'link' ? 500 : 409 })
      if ('content' in answer) expect(answer.content.text).toContain('is missing on the disk')
    }
  })
})

describe('a person', () => {
  test('makes a link that is shown only on the page that answers', async () => {
    const { jobId, bundle } = await complete()
    const answer = await act('link', jobId)
    if (!('content' in answer)) throw new Error('no page')
    const { text } = answer.content
    const url = /<code id="bundle-url">([^<]+)</.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(url).toMatch(new RegExp(`^https://quire.example.com/bundles/${jobId}/`))
    expect(pages.deps.bundleLinks.isValid(url.slice('https://quire.example.com'.length), Date.now())).toBe(true)
    expect(text).toMatch(/<time datetime="[^"]+" title="[^"]+" data-until>/)
    expect(text).toContain(bundle?.sha256)
    expect(pages.audited).toEqual([`bundle-link.created ${jobId}`])
    expect((await showJob(jobId)).text).not.toContain('signature=')
    expect((await showList()).text).not.toContain('signature=')
  })

  test('downloads the bundle itself', async () => {
    const { jobId, bundle } = await complete()
    const answer = await act('download', jobId)
    if (!('download' in answer)) throw new Error('no download')
    const chunks = await Array.fromAsync(answer.download.body as AsyncIterable<Buffer>)
    expect(createHash('sha256').update(Buffer.concat(chunks)).digest('hex')).toBe(bundle?.sha256)
    expect(answer.download).toMatchObject({ fileName: `${own.domain}-${jobId}.zip`, sizeBytes: bundle?.sizeBytes })
  })

  test('deletes an export, and asks a second time while a link works', async () => {
    const { jobId, bundle } = await complete()
    const file = pages.deps.bundles.pathOf(bundle?.fileName ?? '')
    await act('link', jobId)
    const answer = await act('delete', jobId)
    if (!('content' in answer)) throw new Error('no page')
    expect(answer.status).toBe(409)
    expect(answer.content.text).toContain('A link to this bundle still works')
    expect(answer.content.text).toContain('name="despiteLink" value="yes"')
    expect(existsSync(file)).toBe(true)
    expect(await act('delete', jobId, { despiteLink: 'yes' })).toEqual({ leadTo: '/exports', notice: 'export-deleted' })
    expect(existsSync(file)).toBe(false)
    expect(await listJobs()).toEqual([])
    expect(pages.audited).toContain(`export.deleted ${jobId}`)
  })

  test('deletes no export that has not ended', async () => {
    const jobId = await queue()
    expect(await act('delete', jobId)).toMatchObject({ status: 409 })
    expect(await listJobs()).toHaveLength(1)
    expect(pages.audited).toEqual([])
  })
})

describe('another organization', () => {
  test('gets 404 for every page and form of an export, and changes nothing', async () => {
    const { jobId, bundle } = await complete()
    const waiting = await queue()
    for (const id of [jobId, waiting]) {
      const options = { organizationId: other.organizationId, params: { jobId: id } }
      await expect(pages.visit(exportPage, options)).rejects.toThrow(PageNotFound)
      for (const action of ['link', 'download', 'delete']) {
        const form = { despiteLink: 'yes' }
        await expect(pages.visit(exportPage, { ...options, action, form })).rejects.toThrow(PageNotFound)
      }
    }
    expect(await listJobs()).toHaveLength(2)
    expect(existsSync(pages.deps.bundles.pathOf(bundle?.fileName ?? ''))).toBe(true)
    expect(await pages.store.exportJobs.findLastLinkExpiry(Date.now())).toBeUndefined()
    expect(pages.audited).toEqual([])
  })

  test('sees nothing of it in its list, also with the id for a form like it', async () => {
    const { jobId } = await complete({ version: 'secret-version' })
    const { text } = await pages.read(exportsPage, { organizationId: other.organizationId, query: `like=${jobId}` })
    expect(text).not.toContain('secret-version')
    expect(text).not.toContain(own.domain)
  })

  test('cannot start an export of the site', async () => {
    const answer = await start({}, other.organizationId)
    expect(answer).toMatchObject({ status: 400 })
    expect(await listJobs(other.organizationId)).toEqual([])
    expect(await listJobs()).toEqual([])
  })
})

describe('hostile texts', () => {
  test.each(hostileTexts)('%s stays a text in every place', async hostile => {
    const answer = await start({ domain: hostile, version: hostile, paths: hostile, deployment: hostile, key: hostile })
    if (!('content' in answer)) throw new Error('no page')
    expect(answer.status).toBe(400)
    const texts = [answer.content.text]

    const request = { version: hostile, paths: [hostile] }
    const failing = await run(request)
    await pages.store.exportJobs.fail(failing.lease, hostile, clock)
    const completed = await complete(
      { ...request, domain: hostile },
      {
        report: {
          ...emptyReport,
          removedFeatures: [{ product: hostile, feature: null, pages: 1 }],
          deadLinks: [{ to: hostile, reason: hostile, count: 1, pages: [hostile] }],
          differences: [{ page: hostile, place: 'root', what: hostile }],
          skipped: [{ url: hostile, reason: hostile }],
          missingFiles: [{ url: hostile, reason: hostile, count: 1, pages: [hostile] }],
          notes: [hostile],
        },
      },
    )
    texts.push((await showJob(failing.jobId)).text)
    texts.push((await showJob(completed.jobId)).text)
    texts.push((await showList()).text)
    texts.push((await showList(`like=${completed.jobId}&from=${encodeURIComponent(hostile)}`)).text)
    texts.push((await showList(`site=${encodeURIComponent(hostile)}`)).text)
    const linked = await act('link', completed.jobId)
    if ('content' in linked) texts.push(linked.content.text)
    const asked = await act('delete', completed.jobId)
    if ('content' in asked) texts.push(asked.content.text)
    expect(texts).toHaveLength(8)
    const shown = texts.map(findInjected)
    expect(shown.flatMap(({ faults }) => faults)).toEqual([])
    // The page of the link has no text of others but the domain in its title.
    expect(shown.filter(({ texts }) => texts.some(text => text.includes(hostile)))).toHaveLength(6)
  })

  test('the check for injected texts finds them', () => {
    for (const text of ['<script>', '<a onclick="x">', '<a href="javascript:x">', '<img src=x>']) {
      expect(findInjected(text).faults).not.toEqual([])
    }
  })
})

function strip(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
