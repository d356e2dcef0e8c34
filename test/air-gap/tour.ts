// node test/air-gap/tour.ts FOLDER: uses all of Quire in this network namespace, and prints what happened as JSON.
import { lookup } from 'node:dns/promises'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBrowser } from '../../server/web/browser/find-browser.ts'
import { openBrowser } from '../export/search/search-visitor.ts'
import { startHost } from '../host/host-process.ts'
import { runQuire, startQuire } from '../support/process.ts'
import { type NetworkCounters, readNetworkCounters } from './network-counters.ts'

/** What the tour saw. */
export interface Tour {
  /** Counters before anything, after all commands, after a reader, and after a look-up of a name, which shows that they count. */
  counters: Record<'before' | 'after' | 'afterReader' | 'afterLookup', NetworkCounters>
  importedLines: string
  /** Unique visitors of the imported day. */
  visitors: { human: number; ai: number }
  documentation: { status: number; hits: number }
  exportedPages: number
  /** What a browser saw of the hosted site; null without a browser. */
  hosted: { title: string; link: string; failed: string[] } | null
}

const [folder = '.'] = process.argv.slice(2)
const day = '2026-11-02'

const line = (address: string, path: string, agent: string) =>
  `${address} - - [02/Nov/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 5120 "-" "${agent}"`
const human = 'Mozilla/5.0 (X11; Linux x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const assistant = 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)'

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runQuire(args)
  if (code !== 0) throw new Error(`quire ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}

async function tour(): Promise<Tour> {
  const before = readNetworkCounters()
  const data = join(folder, 'data')
  const demo = startQuire(['demo', '--json', '--port', '0', '--data', data])
  const shown = await demo.read(() => /^\{\n[\s\S]*?^\}$/m.exec(demo.stdout())?.[0])
  const { url, key } = JSON.parse(shown) as { url: string; key: string }

  const organization = (await run('orgs', 'create', 'Air', '--plan', 'enterprise', '--data', data)).trim()
  const project =
    (await run('projects', 'create', 'Gap', '--org', organization, '--data', data)).trim().split(/\s/)[0] ?? ''
  const log = join(folder, 'access.log')
  writeFileSync(
    log,
    [line('192.0.2.1', '/', human), line('192.0.2.2', '/a', human), line('192.0.2.3', '/', assistant)].join('\n'),
  )
  const importedLines = await run('visits', 'import', log, '--project', project, '--json', '--data', data)
  const range = ['--from', day, '--to', '2026-11-03']
  const { totals } = JSON.parse(await run('visits', 'show', '--project', project, ...range, '--json', '--data', data))

  const page = await fetch(`${url}/docs/`, { headers: { Authorization: `Bearer ${key}` } })
  const documentation = { status: page.status, hits: ((await page.text()).match(/href=/g) ?? []).length }
  const bundle = join(folder, 'docs.zip')
  const exported = JSON.parse(await run('export', `${url}/docs/`, '-o', bundle, '--json'))
  await demo.end('SIGINT')
  const host = await startHost([bundle, '--data', join(folder, 'host')])
  await host.read(output => output.includes('"msg":"serving a version"'))
  const after = readNetworkCounters()
  const hosted = findBrowser() ? await readAt(host.url) : null
  await host.end('SIGTERM')
  const afterReader = readNetworkCounters()
  await lookup('docs.example.com').catch(() => {})
  const counters = { before, after, afterReader, afterLookup: readNetworkCounters() }
  return { counters, importedLines, visitors: totals, documentation, exportedPages: exported.pageCount, hosted }
}

async function readAt(url: string): Promise<Tour['hosted']> {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    const failed: string[] = []
    page.on('requestfailed', request => failed.push(request.url()))
    await page.goto(`${url}/docs/`, { waitUntil: 'networkidle0' })
    const title = await page.title()
    await Promise.all([page.waitForNavigation(), page.click('main a[href]:not([href^="#"])')])
    return { title, link: await page.title(), failed }
  } finally {
    await browser.close()
  }
}

console.log(JSON.stringify(await tour()))
