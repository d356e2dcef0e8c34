import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser } from 'puppeteer'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startThread } from '../../server/assets.ts'
import { defaultLimits, exportSite } from '../../server/export/export-site.ts'
import type { ExportResult } from '../../server/export/model/options.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { readArchive, unpackArchive } from '../export/read-archive.ts'
import { type RunningServer, serveFolder, startServer } from '../export/static-server.ts'

/** A real site of 530 pages. */
const docs = '/usr/share/doc/python3.11/html'
const install = 'apt-get install python3.11-doc'
const sampleSize = 20

let scratch = ''
let origin: RunningServer
let bundle: RunningServer
let below: RunningServer
let browser: Browser
let result: ExportResult
let seconds = 0

beforeAll(async () => {
  if (!existsSync(docs)) return
  scratch = mkdtempSync(join(tmpdir(), 'quire-e2e-'))
  origin = await startServer(serveFolder(docs))
  const startedAt = performance.now()
  result = await runExport('one.zip')
  seconds = (performance.now() - startedAt) / 1000
  unpackArchive(join(scratch, 'one.zip'), join(scratch, 'bundle'))
  bundle = await startServer(serveFolder(join(scratch, 'bundle')))
  below = await startServer(serveFolder(join(scratch, 'bundle'), '/any/sub/folder/'))
  const executablePath = findBrowser()
  if (!executablePath) return
  // Host names do not resolve, so requests to other hosts fail. They are recorded below.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const args = [
    ...sandbox,
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--disable-gpu',
    '--disable-background-networking',
  ]
  browser = await puppeteer.launch({ executablePath, pipe: true, args })
})

afterAll(async () => {
  await browser?.close()
  for (const server of [origin, bundle, below]) await server?.close()
  if (scratch) rmSync(scratch, { recursive: true, force: true })
})

beforeEach(context => {
  if (!existsSync(docs)) context.skip(`needs the python documentation; install it with: ${install}`)
})

function runExport(name: string): Promise<ExportResult> {
  return exportSite({
    domain: 'docs.python.example',
    origin: origin.origin,
    originAllowed: true,
    allowNoSandbox: true,
    paths: null,
    deployment: 'air-gapped',
    features: { search: false, assistant: false, analytics: false, playground: false },
    version: null,
    format: 'zip',
    outFile: join(scratch, name),
    workFolder: join(scratch, `work-${name}`),
    limits: defaultLimits,
    onProgress() {},
    startThread,
    signal: new AbortController().signal,
  })
}

interface Look {
  text: string
  /** Requests that failed or were answered with an error. */
  failed: string[]
  /** Requests to addresses outside the site or bundle. */
  outbound: string[]
  errors: string[]
}

/** Opens a page in a new tab and waits until its network is idle. */
async function look(
  url: string,
  root: string,
  script: () => string | Promise<string> = () => document.body.innerText,
): Promise<Look> {
  const page = await browser.newPage()
  const seen: Look = { text: '', failed: [], outbound: [], errors: [] }
  page.on('request', request => {
    const isInside = request.url().startsWith(root) || request.url().startsWith('data:')
    if (!isInside) seen.outbound.push(request.url())
  })
  page.on('requestfailed', request => seen.failed.push(`${request.url()} ${request.failure()?.errorText}`))
  page.on('response', response => {
    if (response.status() >= 400) seen.failed.push(`${response.url()} ${response.status()}`)
  })
  page.on('pageerror', error => seen.errors.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') seen.errors.push(message.text())
  })
  await page.goto(url, { waitUntil: 'load' })
  await page.waitForNetworkIdle({ idleTime: 200, timeout: 20_000 })
  seen.text = await page.evaluate(script)
  await page.close()
  return seen
}

/** Chooses pages of the bundle at equal intervals, always the same ones. */
function samplePages(): string[] {
  const all = readdirSync(join(scratch, 'bundle'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.html') && name !== 'search.html')
    .sort()
  return Array.from({ length: sampleSize }, (_, index) => all[Math.floor((index * all.length) / sampleSize)] ?? '')
}

test('the whole documentation is exported', () => {
  console.log(`${result.pageCount} pages in ${seconds.toFixed(1)} s, ${(result.sizeBytes / 1e6).toFixed(1)} MB`)
  expect(result.pageCount).toBeGreaterThanOrEqual(526)
  expect(result.report.unresolved).toEqual([])
  expect(result.report.missingFiles).toEqual([])
  expect(result.report.skipped).toEqual([])
  // A dead link of the site itself: the package does not contain this page.
  expect(result.report.deadLinks.map(({ to }) => to)).toEqual(['/whatsnew/changelog.html'])
})

test('without a cache, a second export has the same bytes', async () => {
  const { sha256 } = await runExport('two.zip')
  if (sha256 === result.sha256) return
  const hashFiles = (name: string) =>
    readArchive(join(scratch, name)).map(
      ({ name, content }) => `${name} ${createHash('sha256').update(content).digest('hex')}`,
    )
  // Names the files that differ.
  expect(hashFiles('two.zip')).toEqual(hashFiles('one.zip'))
  expect(sha256).toBe(result.sha256)
})

test(`${sampleSize} pages have the same text in the bundle, and nothing fails`, async context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  for (const path of samplePages()) {
    const original = await look(new URL(path, origin.origin).href, origin.origin.href)
    const copy = await look(new URL(path, bundle.origin).href, bundle.origin.href)
    expect(copy.text, path).toBe(original.text)
    expect(copy, path).toMatchObject({ failed: [], outbound: [], errors: [] })
  }
})

test('the bundle works in any folder and from file://', async context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  for (const path of ['index.html', 'library/os.html', 'c-api/intro.html']) {
    const original = await look(new URL(path, origin.origin).href, origin.origin.href)
    const folder = new URL('/any/sub/folder/', below.origin).href
    for (const root of [folder, `file://${join(scratch, 'bundle')}/`]) {
      const copy = await look(root + path, root)
      expect(copy.text, root).toBe(original.text)
      expect(copy, root).toMatchObject({ failed: [], outbound: [], errors: [] })
    }
  }
})

test('the search of the site finds the same in the bundle as at the origin', async context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  // The search adds hits one by one. It has ended if no hit was added for a second.
  const hits = async () => {
    const list = () => [...document.querySelectorAll('#search-results li > a')].map(link => link.textContent).join('\n')
    for (let before = ''; before === '' || before !== list(); ) {
      before = list()
      await new Promise(done => setTimeout(done, 1000))
    }
    return list()
  }
  const find = (root: URL) => look(new URL('search.html?q=zoneinfo', root).href, root.href, hits)
  const original = await find(origin.origin)
  const copy = await find(bundle.origin)
  expect(original.text.split('\n').length).toBeGreaterThan(3)
  expect(copy.text).toBe(original.text)
  expect(copy.outbound).toEqual([])
  // The index names a page that the package does not contain. Only requests that fail at the origin may fail.
  const failures = ({ failed }: Look, root: URL) => failed.map(line => line.replace(root.href, '/'))
  expect(failures(copy, bundle.origin)).toEqual(failures(original, origin.origin))
})
