import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Command } from 'commander'
import puppeteer, { type Browser, type Page } from 'puppeteer'
import { OperatorError } from '../server/base/operator-error.ts'
import { withStore } from '../server/commands/with-store.ts'
import type { Store } from '../server/store/store.ts'
import { readArchivedFile } from '../server/unpack/read-archived-file.ts'
import { defaultUnpackLimits } from '../server/unpack/unpack-limits.ts'
import { findBrowser, installCommand } from '../server/web/browser/find-browser.ts'
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
  .option('--out <folder>', 'where the pictures of --all go')
  .option('--only <text>', 'with --all: only pages with this text in their name, such as keys-long')
  .addHelpText('after', '\nExamples:\n  npm run screenshots\n  npm run screenshots -- --all --out /tmp/pictures\n')
  .exitOverride()
  .action(async ({ all, out, only = '' }: { all?: true; out?: string; only?: string }) => {
    if (all && out === undefined) throw new OperatorError('--all needs --out FOLDER.', 2)
    if (!all && (out !== undefined || only !== '')) throw new OperatorError('--out and --only need --all.', 2)
    const executablePath = findBrowser(process.env)
    if (executablePath === null) throw new OperatorError(`This needs a Chromium. Install one with: ${installCommand()}`)
    const data = await mkdtemp(join(tmpdir(), 'quire-screenshots-'))
    const server = start('server/main.ts', 'demo', '--port', '0', '--data', data, '--json')
    try {
      const demo: Demo = await readUntil(server, JSON.parse)
      // As root, Chromium runs only without its sandbox. It opens nothing but the demo.
      const browser = await puppeteer.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
      try {
        const page = await browser.newPage()
        const organizationId = await signIn(page, demo)
        const bundle = await withStore({ data }, store => untilBundled(store, demo.jobId))
        if (out === undefined) await takePictures(page, demo, organizationId)
        else await takeAll(browser, page, { demo, data, bundle, organizationId, out, only })
      } finally {
        await browser.close()
      }
    } finally {
      await stop(server)
      await rm(data, { recursive: true, force: true })
    }
  })

function start(program: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [join(root, program), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Reads what a program prints until `read` finds what it looks for; until then it throws. */
async function readUntil<T>({ stdout }: ChildProcess, read: (text: string) => T): Promise<T> {
  let text = ''
  for await (const part of stdout ?? []) {
    text += part
    try {
      return read(text)
    } catch {
      // Not complete yet.
    }
  }
  throw new OperatorError('A program ended before it served. Its message is above.')
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = new Promise(done => server.once('exit', done))
  if (server.exitCode !== null || !server.kill('SIGTERM')) return
  await ended
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
    bundle,
    organizationId,
    out,
    only,
  }: { demo: Demo; data: string; bundle: string; organizationId: string; out: string; only: string },
): Promise<void> {
  const extremes = await withStore({ data }, store => addExtremes(store, data))
  const mock = start('mock/main.ts', '--scenario', 'usual', '--port', '0', '--quiet')
  const problems: string[] = []
  try {
    const mockUrl = await readUntil(mock, text => (/Listening on (\S+)/.exec(text) as RegExpExecArray)[1])
    const others = { 'export-report': await unpackReport(data, bundle), mock: `${mockUrl}/mock` }
    const organizations = { usual: organizationId, ...extremes }
    problems.push(...(await takeEveryPage(browser, page, { url: demo.url, organizations, others, only }, out)))
  } finally {
    await stop(mock)
  }
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  console.log(`The pictures are in ${out}. No page scrolls sideways.`)
}

/** Returns the address of the report of the demo's export, which is a page of its bundle. */
async function unpackReport(data: string, bundle: string): Promise<string> {
  const limits = { zip: defaultUnpackLimits, 'tar.gz': defaultUnpackLimits }
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
