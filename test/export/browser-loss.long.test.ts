import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listTree } from '../../scripts/bench/export/process-tree.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { runQuire, startQuire } from '../support/process.ts'
import type { RunningProgram } from '../support/program.ts'
import { failIfProgramEnded } from '../support/watched-programs.ts'
import { page } from './fake-site.ts'
import { type RunningServer, serveFolder, startServer } from './static-server.ts'

const pages = 8
let parent = ''
let folder = ''
let site: RunningServer

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'quire-loss-'))
  // Every path answers with the same empty HTML shell. A script fills it with data.
  site = await startServer((request, response) => {
    const path = request.url ?? '/'
    const send = (body: string, type: string, delayMs = 0) =>
      setTimeout(() => response.writeHead(200, { 'content-type': type }).end(body), delayMs)
    if (path === '/app.js')
      return send(
        `fetch('/data' + (location.pathname === '/' ? '/0' : location.pathname) + '.json').then(answer => answer.json()).then(text => {
          document.getElementById('app').innerHTML = text
        })`,
        'text/javascript',
      )
    const number = /^\/data\/(\d+)\.json$/.exec(path)?.[1]
    if (number !== undefined && Number(number) < pages) {
      const words = Array.from({ length: 40 }, (_, index) => `page${number}word${index}`).join(' ')
      const links = Array.from({ length: pages }, (_, index) => `<a href="/${index}">${index}</a>`).join(' ')
      return send(JSON.stringify(`<main><p>${words}</p>${links}</main>`), 'application/json', 300)
    }
    if (path.startsWith('/data/')) return send('"<p>There is no such page here, sorry.</p>"', 'application/json')
    if (/\.\w+$/.test(path)) return response.writeHead(404, { 'content-type': 'text/html' }).end(page('none'))
    return send('<!doctype html><title>App</title><div id="app"></div><script src="/app.js"></script>', 'text/html')
  })
})
beforeEach(() => {
  folder = mkdtempSync(join(parent, 'case-'))
})
afterAll(async () => {
  await site.close()
  rmSync(parent, { recursive: true, force: true, maxRetries: 3 })
})

function startExport(name = 'x.zip'): RunningProgram {
  return startQuire(['export', site.origin.href, '-o', join(folder, name), '--work-folder', folder, '--json'])
}

const command = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
/** Whether the process has ended. A zombie has ended, too. */
const isGone = (pid: number) => {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

async function until<T>(ask: () => T | undefined | false, withinMs = 60_000): Promise<T> {
  for (const endsAt = Date.now() + withinMs; Date.now() < endsAt; ) {
    const answer = ask()
    if (answer) return answer
    failIfProgramEnded()
    await new Promise(done => setTimeout(done, 20))
  }
  throw new Error(`It did not come within ${withinMs} ms.`)
}

/** Finds the main process of the browser, once it has tabs. */
const browserOf = ({ child }: RunningProgram) =>
  listTree(child.pid ?? 0).find(
    pid => command(pid).includes('--user-data-dir=') && !command(pid).includes('--type=') && tabsOf(pid).length > 0,
  )
const tabsOf = (browser: number) => listTree(browser).filter(pid => command(pid).includes('--type=renderer'))

describe.skipIf(process.platform !== 'linux' || !findBrowser())(
  `needs Linux and a Chromium (${installCommand()})`,
  () => {
    let undisturbed = ''
    beforeAll(async () => {
      folder = mkdtempSync(join(parent, 'first-'))
      const run = startExport()
      expect((await run.ended).code, run.stderr()).toBe(0)
      const { pageCount, report, sha256 } = JSON.parse(run.stdout())
      expect([pageCount, report.notes]).toEqual([pages + 1, []])
      expect(report.renderedPages).toHaveLength(pages + 1)
      undisturbed = sha256
    })

    test.each<[string, (browser: number) => number[]]>([
      ['the browser', browser => [browser]],
      ['every tab', browser => tabsOf(browser)],
    ])('if %s is killed, the export has the same bytes', async (_, choose) => {
      const run = startExport()
      const browser = await until(() => browserOf(run))
      await until(() => site.requests.at(-1)?.startsWith('/data/'))
      const tree = listTree(browser)
      for (const pid of choose(browser)) process.kill(pid, 'SIGKILL')
      expect((await run.ended).code, run.stderr()).toBe(0)
      expect(JSON.parse(run.stdout()).sha256).toBe(undisturbed)
      await until(() => tree.every(isGone), 20_000)
      expect(readdirSync(folder)).toEqual(['x.zip'])
    })

    test.each<NodeJS.Signals>(['SIGINT', 'SIGTERM', 'SIGHUP'])(
      '%s ends the browser, and leaves no file',
      async signal => {
        const run = startExport()
        await until(() => browserOf(run))
        const tree = listTree(run.child.pid ?? 0)
        run.child.kill(signal)
        expect([(await run.ended).code, run.stderr()]).toEqual([1, expect.stringContaining('The export was stopped')])
        await until(() => tree.every(isGone), 20_000)
        expect(readdirSync(folder)).toEqual([])
      },
    )

    test('kill -9 of the export leaves no browser behind', async () => {
      const run = startExport()
      await until(() => browserOf(run))
      const tree = listTree(run.child.pid ?? 0)
      expect(tree.length).toBeGreaterThan(3)
      run.child.kill('SIGKILL')
      expect((await run.ended).code).toBeNull()
      await until(() => tree.every(isGone), 20_000)
      expect(existsSync(join(folder, 'x.zip'))).toBe(false)
    })
  },
)

const env = { PUPPETEER_EXECUTABLE_PATH: '/nonexistent/chromium' }

test('without a browser, the export of a site that needs one fails with a sentence that names the remedy', async () => {
  const file = join(folder, 'x.zip')
  const { code, stdout, stderr } = await runQuire(['export', site.origin.href, '-o', file], { env })
  const lines = stderr.trim().split('\n')
  expect([code, stdout, lines.at(-1)]).toEqual([
    1,
    '',
    `${site.origin.host} builds its pages in the browser and no Chromium was found; install one with \`${installCommand()}\` and start again.`,
  ])
  expect(readdirSync(folder)).toEqual([])
})

const pythonDocs = '/usr/share/doc/python3.11/html'
test.skipIf(!existsSync(pythonDocs))(
  'without a browser, the Python documentation is exported in full',
  { timeout: 300_000 },
  async () => {
    const docs = await startServer(serveFolder(pythonDocs))
    const args = ['export', docs.origin.href, '-o', join(folder, 'x.zip'), '--json']
    const { code, stdout, stderr } = await runQuire(args, { env })
    await docs.close()
    expect(code, stderr).toBe(0)
    const { pageCount, report } = JSON.parse(stdout)
    expect(pageCount).toBeGreaterThanOrEqual(526)
    expect([report.unresolved, report.missingFiles, report.skipped, report.renderedPages]).toEqual([[], [], [], []])
    expect(report.notes).toEqual(['No Chromium was found: no page was checked in a browser.'])
  },
)
