// Opens pages of the sites of make-sites.ts in Chromium, and writes the access log that a web server would have written.
//
//   node test/analytics/frameworks/capture.ts FOLDER [SITE ...]
//
// A person loads one page and opens eleven more by clicks on the sidebar. The pages opened are the truth that
// frameworks.test.ts compares the counts with. Each page has the script that counts in the browser, as its template would.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import puppeteer from 'puppeteer'
import { viewPath } from '../../../server/analytics/page.ts'
import { countedStatus } from '../../../server/analytics/sent-view.ts'
import { loadViewScript, viewScript, viewScriptPath } from '../../../server/analytics/view-script.ts'
import { findBrowser } from '../../../server/web/browser/find-browser.ts'

interface Site {
  name: string
  /** The package whose version is noted. */
  framework: string
  /** Folder of a static site, or the command of its own server. */
  folder?: string
  command?: readonly string[]
}

const sites: readonly Site[] = [
  { name: 'next', framework: 'next', command: ['node_modules/next/dist/bin/next', 'start', '-p', '4100'] },
  { name: 'nextra', framework: 'nextra', command: ['node_modules/next/dist/bin/next', 'start', '-p', '4100'] },
  {
    name: 'react-router',
    framework: 'react-router',
    command: ['node_modules/@react-router/serve/bin.js', 'build/server/index.js'],
  },
  { name: 'sveltekit', framework: '@sveltejs/kit', command: ['build'] },
  { name: 'vitepress', framework: 'vitepress', folder: '.vitepress/dist' },
  { name: 'docusaurus', framework: '@docusaurus/core', folder: 'build' },
  { name: 'astro', framework: 'astro', folder: 'dist' },
  { name: 'starlight', framework: '@astrojs/starlight', folder: 'dist' },
]

const sitePort = 4100
const logPort = 4101
const toOpen = [3, 7, 1, 12, 24, 8, 5, 18, 9, 2, 20, 15].map(number => `/docs/page-${number}`)
const types: Record<string, string> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
}

/** Serves a folder as nginx does with `try_files $uri $uri.html $uri/index.html`. */
function serveFolder(folder: string): Server {
  return createServer((req, res) => {
    const path = decodeURIComponent(new URL(req.url ?? '/', 'http://site').pathname)
    const found = [path, `${path}.html`, `${path}/index.html`].map(name => join(folder, name)).find(isFile)
    res.writeHead(found ? 200 : 404, {
      'Content-Type': types[found?.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    })
    if (found) createReadStream(found).pipe(res)
    else res.end()
  }).listen(sitePort)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** Passes requests on to the site, and writes lines in the combined format of nginx. */
function logRequests(lines: string[], isReadsOnly: boolean): Server {
  return createServer((req, res) => {
    const { 'accept-encoding': _, ...headers } = req.headers
    const passed = request({ port: sitePort, path: req.url, method: req.method, headers }, answer => {
      const own = answerOwn(req.url ?? '')
      if (own) {
        answer.resume()
        res.writeHead(own.status, { 'Content-Type': 'text/javascript' }).end(own.body)
      } else if (answer.headers['content-type']?.startsWith('text/html')) void addScript(answer, res)
      else {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      }
      const status = own?.status ?? answer.statusCode
      // A page that the browser fetched before anybody opened it; nginx can leave it out, see the docs.
      if (isReadsOnly && String(req.headers['sec-purpose'] ?? req.headers.purpose ?? '').includes('prefetch')) return
      const { referer = '-', 'user-agent': userAgent = '-' } = req.headers
      const from = referer.replace(/^http:\/\/localhost:\d+/, 'https://docs.example.com')
      lines.push(
        `203.0.113.9 - - [20/Nov/2026:10:11:12 +0000] "${req.method} ${req.url} HTTP/1.1" ${status} 512 "${from}" "${userAgent.replace('HeadlessChrome', 'Chrome')}"`,
      )
    })
    passed.on('error', () => res.destroy())
    req.pipe(passed)
  }).listen(logPort)
}

/** Answers what nginx would: the script as a file, and its requests. */
function answerOwn(target: string): { status: number; body: string } | undefined {
  if (target === viewScriptPath) return { status: 200, body: viewScript }
  return target.startsWith(`${viewPath}?`) ? { status: countedStatus, body: '' } : undefined
}

async function addScript(answer: IncomingMessage, res: ServerResponse): Promise<void> {
  const page = (await text(answer)).replace(/<head[^>]*>/, head => `${head}${loadViewScript('all')}`)
  const { 'content-length': _, 'transfer-encoding': _chunked, ...headers } = answer.headers
  res.writeHead(answer.statusCode ?? 502, headers).end(page)
}

async function capture(folder: string, { name, framework, folder: files, command }: Site): Promise<void> {
  const cwd = join(folder, name)
  const server = files ? serveFolder(join(cwd, files)) : undefined
  const child = command
    ? spawn(process.execPath, command, { cwd, env: { ...process.env, PORT: String(sitePort) }, stdio: 'inherit' })
    : undefined
  const lines: string[] = []
  const log = logRequests(lines, name === 'astro' || name === 'starlight')
  const browser = await puppeteer.launch({ args: ['--no-sandbox'], executablePath: findBrowser() ?? '' })
  try {
    await wait(3000)
    const page = await browser.newPage()
    await page.setViewport({ width: 1200, height: 700 })
    const [first = '', ...others] = toOpen
    await page.goto(`http://localhost:${logPort}${first}`, { waitUntil: 'networkidle0' })
    for (const path of others) {
      const link = await page.waitForSelector(`a[href^="${path}"]:not([href*="${path}0"])`)
      const links = await page.$$(`a[href]`)
      let target = link
      for (const each of links)
        if (new URL(await each.evaluate(a => a.href)).pathname.replace(/\.html$|\/$/, '') === path) target = each
      await target?.evaluate(a => a.scrollIntoView({ block: 'center' }))
      await target?.hover()
      await wait(150)
      await target?.click()
      await page.waitForFunction(
        wanted => document.querySelector('h1')?.textContent?.includes(wanted),
        {},
        path.slice(6),
      )
      await page.waitForNetworkIdle({ idleTime: 300 })
    }
  } finally {
    await browser.close()
    log.close()
    server?.close()
    server?.closeAllConnections()
    log.closeAllConnections()
    child?.kill()
    if (child) await once(child, 'exit')
  }
  const { version } = JSON.parse(readFileSync(join(cwd, 'node_modules', framework, 'package.json'), 'utf8'))
  const result = { framework: `${framework} ${version}`, opened: [...new Set(toOpen)].sort() }
  writeFileSync(join(import.meta.dirname, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`)
  writeFileSync(join(import.meta.dirname, `${name}.log`), `${lines.join('\n')}\n`)
  console.log(`${name}: ${lines.length} requests`)
}

const [folder = '.', ...chosen] = process.argv.slice(2)
for (const site of sites) if (chosen.length === 0 || chosen.includes(site.name)) await capture(folder, site)
