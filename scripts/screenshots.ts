import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Command } from 'commander'
import puppeteer, { type Browser, type Page } from 'puppeteer'
import { generated } from '../mock/both-documents.ts'
import { OperatorError } from '../server/base/operator-error.ts'
import { withStore } from '../server/commands/with-store.ts'
import type { Store } from '../server/store/store.ts'
import { readArchivedFile } from '../server/unpack/read-archived-file.ts'
import { defaultUnpackLimits } from '../server/unpack/unpack-limits.ts'
import { findBrowser, installCommand } from '../server/web/browser/find-browser.ts'
import { createMock } from '../spec/package/mock/index.ts'
import { listen } from '../spec/package/mock-server/listen.ts'
import { createMovingServer } from '../spec/package/mock-server/moving.ts'
import { runProgram } from './run-program.ts'
import { takeEveryPage } from './screenshots/every-page.ts'
import { addExtremes } from './screenshots/extreme-data.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'server', 'docs', 'pages', 'images')
const viewport = { width: 1120, height: 900 }

/** What `quire demo --json` prints when it serves. */
interface Demo {
  url: string
  /** A link that signs in to the dashboard. */
  dashboard: string
  jobId: string
}

const program = new Command('npm run screenshots')
  .description(
    'Serve the demo in a new folder and write the pictures of its dashboard to server/docs/pages/images/. With --all, write pictures of every page to another folder, with no, usual and long data, at four widths, light and dark, and fail if a page scrolls sideways.',
  )
  .option('--all', 'take pictures of every page of the dashboard and the documentation, and of the page of the mock')
  .option('--out <folder>', 'where the pictures of --all go', 'screenshots')
  .option('--only <text>', 'with --all: only pages with this text in their name, such as keys-long', '')
  .addHelpText('after', '\nExamples:\n  npm run screenshots\n  npm run screenshots -- --all --out /tmp/pictures\n')
  .exitOverride()
  .action(async (flags: { all?: true; out: string; only: string }) => {
    const executablePath = findBrowser(process.env)
    if (executablePath === null) throw new OperatorError(`This needs a Chromium. Install one with: ${installCommand()}`)
    const data = await mkdtemp(join(tmpdir(), 'quire-screenshots-'))
    const server = spawn(
      process.execPath,
      [join(root, 'server', 'main.ts'), 'demo', '--port', '0', '--data', data, '--json'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    try {
      const demo = await readDemo(server.stdout)
      // As root, Chromium runs only without its sandbox. It opens nothing but the demo.
      const browser = await puppeteer.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
      try {
        const page = await browser.newPage()
        const organizationId = await signIn(page, demo)
        if (flags.all) await takeAll(browser, page, { demo, data, organizationId, ...flags })
        else await takePictures(page, demo, organizationId)
      } finally {
        await browser.close()
      }
    } finally {
      server.kill('SIGTERM')
      await new Promise(done => server.once('exit', done))
      await rm(data, { recursive: true, force: true })
    }
  })

/** Reads the one JSON document that the demo prints. */
async function readDemo(output: NodeJS.ReadableStream): Promise<Demo> {
  let text = ''
  for await (const part of output) {
    text += part
    try {
      return JSON.parse(text)
    } catch {
      // The document is not complete yet.
    }
  }
  throw new OperatorError('The demo ended before it served. Its message is above.')
}

/** Signs in, and returns the id of the demo organization. */
async function signIn(page: Page, { dashboard }: Demo): Promise<string> {
  await page.setViewport(viewport)
  await page.goto(dashboard)
  await Promise.all([page.waitForNavigation(), page.click('button.main')])
  return /org_[0-9a-f]+/.exec(page.url())?.[0] ?? ''
}

async function takePictures(page: Page, { url, jobId }: Demo, organizationId: string): Promise<void> {
  const pages = { keys: 'keys', visitors: 'visitors', export: `exports/${jobId}` }
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(`${url}/dashboard/${organizationId}/${path}`, { waitUntil: 'networkidle0' })
    const file = join(folder, `dashboard-${name}.png`)
    await page.screenshot({ path: file as `${string}.png` })
    console.log(file)
  }
}

/** @throws {OperatorError} that names each page that scrolls sideways, and its width */
async function takeAll(
  browser: Browser,
  page: Page,
  {
    demo,
    data,
    organizationId,
    out,
    only,
  }: { demo: Demo; data: string; organizationId: string; out: string; only: string },
): Promise<void> {
  const extremes = await withStore({ data }, store => addExtremes(store, data))
  const mock = createMovingServer({ mock: createMock(), documents: generated, allowsOrigin: () => false })
  const mockUrl = await listen(mock, { host: '127.0.0.1', port: 0 }, 'npm run screenshots')
  const others = { 'export-report': await unpackReport(data, demo), mock: `${mockUrl}/mock` }
  const organizations = { usual: organizationId, ...extremes }
  const pages = { url: demo.url, organizations, others, only }
  const problems = await takeEveryPage(browser, page, pages, out).finally(() => {
    mock.close()
    mock.closeAllConnections()
  })
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  console.log(`The pictures are in ${out}. No page scrolls sideways.`)
}

/** Returns the address of the report of the demo's export, which is a page of its bundle. */
async function unpackReport(data: string, { jobId }: Demo): Promise<string> {
  const limits = { zip: defaultUnpackLimits, 'tar.gz': defaultUnpackLimits }
  const bundle = await withStore({ data }, store => untilBundled(store, jobId))
  const report = await readArchivedFile(join(data, 'bundles', bundle), 'export-report.html', {
    limits,
    maxBytes: 10 * 1024 ** 2,
  })
  const file = join(data, 'export-report.html')
  await writeFile(file, report ?? '')
  return pathToFileURL(file).href
}

/** Waits for the file name of a bundle: on a busy machine, the demo serves before its export has ended. */
async function untilBundled({ exportJobs }: Pick<Store, 'exportJobs'>, jobId: string): Promise<string> {
  for (;;) {
    const job = await exportJobs.find(jobId)
    if (job?.bundle) return job.bundle.fileName
    if (job?.status === 'failed') throw new OperatorError(`The export of the demo failed: ${job.error}`)
    await setTimeout(500)
  }
}

await runProgram(program)
