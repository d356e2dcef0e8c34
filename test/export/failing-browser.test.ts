import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { checkBrowser } from '../../server/commands/doctor/check-browser.ts'
import { checkBundle } from '../../server/export/check/check-bundle.ts'
import { ExportError } from '../../server/export/export-site.ts'
import { openSiteCaches } from '../../server/store/site-cache/site-caches.ts'
import { defaultUnpackLimits } from '../../server/unpack/unpack-limits.ts'
import { findBrowser } from '../../server/web/browser/find-browser.ts'
import { exportFakeSite, nextFiles, page, startFakeSite } from './fake-site.ts'
import type { RunningServer } from './static-server.ts'

const before = process.env.PUPPETEER_EXECUTABLE_PATH
const folder = mkdtempSync(join(tmpdir(), 'quire-failing-browser-'))
const program = join(folder, 'chromium')
const problem = `Chromium (${program}) could not be started: it ended with exit code 1: libnss3.so is missing.`
const note =
  'Chromium could not be started on the machine of the export: no page was checked in a browser. On that machine, npx quire doctor says why.'
let site: RunningServer

beforeEach(async () => {
  writeFileSync(program, '#!/bin/sh\necho "libnss3.so is missing" >&2\nexit 1\n', { mode: 0o755 })
  process.env.PUPPETEER_EXECUTABLE_PATH = program
  const script = '<script src="/app.js"></script>'
  site = await startFakeSite({
    '/': page('Start', `<a href="/a">a</a>${script}`),
    '/a': page('A', script),
    '/app/': `<!doctype html><div id="app"></div>${script}`,
    '/app.js': 'document.title += "!"',
  })
})
afterEach(async () => {
  if (before === undefined) delete process.env.PUPPETEER_EXECUTABLE_PATH
  else process.env.PUPPETEER_EXECUTABLE_PATH = before
  await site.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a site whose HTML is complete is exported as without a browser, and the report says so', async () => {
  const { report, names, browserProblem } = await exportFakeSite(site.origin)
  expect(names).toEqual(expect.arrayContaining(['index.html', 'a.html', 'app.js']))
  expect(report.notes).toContain(note)
  expect(report.scripts.decidedBy).toBe('rule')
  expect(browserProblem).toContain(problem)
})

test('a site that scripts build fails: its operator must act, not its owner', async () => {
  const error = await exportFakeSite(new URL('/app/', site.origin)).catch(error => error)
  expect(error).toBeInstanceOf(ExportError)
  expect(error.code).toBe('browser_failed')
  expect(error.message).toContain('the Chromium of this machine cannot be started. Its operator must act')
  expect(error.message).toContain(problem)
})

test('the bundle is made again once the browser starts', async context => {
  const cache = await openCache()
  const reuse = (run: string) => ({ cache, run, engine: 'test' })
  const unchecked = await exportFakeSite(site.origin, { reuse: reuse('1') })
  const repeated = await exportFakeSite(site.origin, { reuse: reuse('2') })
  expect([repeated.sha256, repeated.report.notes]).toEqual([unchecked.sha256, unchecked.report.notes])
  if (before === undefined) delete process.env.PUPPETEER_EXECUTABLE_PATH
  else process.env.PUPPETEER_EXECUTABLE_PATH = before
  const real = findBrowser()
  if (real === null) return context.skip('needs a Chromium')
  // The same file, which now starts.
  writeFileSync(program, `#!/bin/sh\nexec ${real} "$@"\n`, { mode: 0o755 })
  process.env.PUPPETEER_EXECUTABLE_PATH = program
  const { report, browserProblem } = await exportFakeSite(site.origin, { reuse: reuse('3') })
  expect([report.notes, report.scripts.decidedBy, browserProblem]).toEqual([[], 'browser', null])
  await cache.close()
})

async function openCache() {
  const caches = openSiteCaches({ folder: join(folder, 'caches'), maxBytes: 1e8, sharesArchives: false, warn() {} })
  const cache = await caches.open('docs.example.com')
  if (!cache) throw new Error('The cache is in use.')
  return cache
}

test('a check of the bundle opens no page, and says why', async () => {
  const { outFile } = nextFiles()
  await exportFakeSite(site.origin, { outFile, verify: 'static' })
  const { unopened, faults } = await checkBundle({
    ...{ bundle: outFile, workFolder: join(folder, 'check'), verify: 'sample', allowNoSandbox: true },
    limits: { pageTimeoutMs: 30_000, pageRequests: 100 },
    unpackLimits: defaultUnpackLimits,
    signal: new AbortController().signal,
  })
  expect(faults).toEqual([])
  expect(unopened).toContain(`No page was opened: requests, errors and text of the pages were not checked. ${problem}`)
})

test('quire doctor fails with the reason', async () => {
  expect(await checkBrowser(process.env, true)).toEqual([
    { check: 'browser', level: 'failure', message: problem, remedy: expect.stringContaining('Install it again') },
  ])
})
