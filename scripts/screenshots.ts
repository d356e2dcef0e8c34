import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import puppeteer, { type Page } from 'puppeteer'
import { OperatorError } from '../server/base/operator-error.ts'
import { findBrowser, installCommand } from '../server/web/browser/find-browser.ts'
import { runProgram } from './run-program.ts'

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
  .description('Serve the demo in a new folder and write the pictures of its dashboard to server/docs/pages/images/.')
  .addHelpText('after', '\nExamples:\n  npm run screenshots\n')
  .exitOverride()
  .action(async () => {
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
        await takePictures(await browser.newPage(), demo)
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

async function takePictures(page: Page, { url, dashboard, jobId }: Demo): Promise<void> {
  await page.setViewport(viewport)
  await page.goto(dashboard)
  await Promise.all([page.waitForNavigation(), page.click('button.main')])
  const organization = /org_[0-9a-f]+/.exec(page.url())?.[0]
  const pages = { keys: 'keys', visitors: 'visitors', export: `exports/${jobId}` }
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(`${url}/dashboard/${organization}/${path}`, { waitUntil: 'networkidle0' })
    const file = join(folder, `dashboard-${name}.png`)
    await page.screenshot({ path: file as `${string}.png` })
    console.log(file)
  }
}

await runProgram(program)
