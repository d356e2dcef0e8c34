import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer from 'puppeteer'
import { afterEach, expect, test } from 'vitest'
import { type Deployment, type Features, resolveFeatures } from '../../server/products/features.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { type Exported, exportFakeSite, type FakeSite, nextFiles, startFakeSite } from '../export/fake-site.ts'
import { readEntry, unpackArchive } from '../export/read-archive.ts'
import { type RunningServer, serveFolder, startServer } from '../export/static-server.ts'

const servers: RunningServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const head = `<link rel="preconnect" href="https://ABC-dsn.algolia.net" crossorigin>
<link rel="stylesheet" href="https://cdn.jsdelivr.net/npm/@docsearch/css@3">
<script>(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':new Date().getTime(),event:'gtm.js'});var j=d.createElement(s);j.src='https://www.googletagmanager.com/gtm.js?id='+i;d.head.appendChild(j)})(window,document,'script','dataLayer','GTM-1')</script>
<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
<script>window.dataLayer = window.dataLayer || []; function gtag() { dataLayer.push(arguments) } gtag("js", new Date()); gtag("config", "G-1")</script>
<script async src="https://widget.kapa.ai/kapa-widget.bundle.js" data-website-id="1" data-project-name="Docs"></script>`
const body = `<div id="docsearch"><button type="button" class="DocSearch DocSearch-Button"><span>Search hosted</span></button></div>
<button id="ask" onclick="Kapa.open()">Ask hosted</button>
<noscript><iframe src="https://www.googletagmanager.com/ns.html?id=GTM-1"></iframe></noscript>
<div id="swagger-ui">Try hosted</div>
<link rel="stylesheet" href="https://unpkg.com/swagger-ui-dist@5/swagger-ui.css">
<script src="https://unpkg.com/swagger-ui-dist@5/swagger-ui-bundle.js"></script>
<script>window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui' })</script>
<script src="https://cdn.jsdelivr.net/npm/@docsearch/js@3"></script>
<script>docsearch({ appId: 'ABC', apiKey: 'x', indexName: 'docs', container: '#docsearch' })</script>`

const words = (name: string) => Array.from({ length: 80 }, (_, index) => `${name}${index}`).join(' ')
const page = (
  name: string,
) => `<!doctype html><html><head><title>${name}</title>${head}</head><body><main><h1>${name}</h1>
<p>${words(name)}</p><p>Call gtag('config') and docsearch({}) as <a href="https://www.algolia.com/">Algolia</a> says.</p>
<a href="/">home</a> <a href="/guide/">guide</a></main>
<form id="local-search"><input id="q"></form><output id="hits"></output>${body}<script src="/search.js"></script></body></html>`
const site: FakeSite = {
  '/': page('home'),
  '/guide/': page('guide'),
  '/search.js': {
    body: "document.getElementById('q').oninput = event => { document.getElementById('hits').textContent = 'found ' + event.target.value }",
    headers: { 'content-type': 'text/javascript' },
  },
  '/openapi.json': '{}',
}

/** Traces of products in a bundle. Text about a product and links to it do not match. */
const left: Record<keyof Features, RegExp> = {
  search: /DocSearch|id="docsearch"|docsearch\(\{ appId|algolia\.net|@docsearch/,
  assistant: /kapa\.ai|Kapa\.open|Ask hosted/,
  analytics: /googletagmanager|gtag\("config"|gtm\.start/,
  playground: /swagger-ui|SwaggerUIBundle|Try hosted/,
}

async function run(deployment: Deployment, asked: Partial<Features> = {}): Promise<Exported & { outFile: string }> {
  const { origin } = await startFakeSite(site).then(server => {
    servers.push(server)
    return server
  })
  const files = nextFiles()
  const features = resolveFeatures(deployment, asked)
  return {
    ...(await exportFakeSite(origin, { ...files, deployment, features, verify: 'static' })),
    outFile: files.outFile,
  }
}

const cases: [Deployment, Partial<Features>, (keyof Features)[]][] = [
  ['air-gapped', {}, []],
  ['air-gapped', { playground: true }, ['playground']],
  ['client-hosted', {}, ['playground']],
  ['client-hosted', { search: true, analytics: true }, ['search', 'analytics', 'playground']],
  ['cloud', {}, ['search', 'assistant', 'analytics', 'playground']],
]

test.each(cases)('%s with %j keeps %j', { timeout: 90_000 }, async (deployment, asked, kept) => {
  const { entries, report, names } = await run(deployment, asked)
  for (const path of ['index.html', 'guide/index.html']) {
    const html = readEntry(entries, path)
    // The policy names the hosts of kept products.
    const content = html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '')
    const found = Object.entries(left).flatMap(([feature, pattern]) => (pattern.test(content) ? [feature] : []))
    expect(found.sort()).toEqual([...kept].sort())
    expect(html).toContain(
      'Call gtag(\'config\') and docsearch({}) as <a href="https://www.algolia.com/">Algolia</a> says.',
    )
    expect(html).toContain('id="local-search"')
  }
  const count = (list: typeof report.removedFeatures) => new Set(list.map(({ feature }) => feature))
  expect(count(report.keptFeatures)).toEqual(new Set(kept))
  expect(count(report.removedFeatures)).toEqual(
    new Set(Object.keys(left).filter(feature => !kept.includes(feature as keyof Features))),
  )
  expect([...report.keptFeatures, ...report.removedFeatures].map(({ pages }) => pages)).toEqual(
    Array(report.keptFeatures.length + report.removedFeatures.length).fill(2),
  )
  expect(names.some(name => name.startsWith('_external/'))).toBe(false)
  expect(report.unresolved).toEqual([])
})

test('a kept product is loaded from its vendor, and the policy allows it', { timeout: 90_000 }, async () => {
  const { entries } = await run('client-hosted', { search: true })
  const html = readEntry(entries, 'index.html')
  expect(html).toContain('src="https://cdn.jsdelivr.net/npm/@docsearch/js@3"')
  expect(/Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]).toMatch(
    /default-src 'self'.* https:\/\/\*\.algolia\.net /,
  )
  expect(html).not.toContain('kapa.ai')
})

test('an air-gapped bundle makes no outbound requests, and the search of the site works', {
  timeout: 120_000,
}, async context => {
  const executablePath = findBrowser()
  if (!executablePath) return context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  const { outFile } = await run('air-gapped')
  const folder = mkdtempSync(join(tmpdir(), 'quire-products-'))
  const args = [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--disable-gpu',
    '--disable-background-networking',
  ]
  const browser = await puppeteer.launch({ executablePath, pipe: true, args })
  try {
    unpackArchive(outFile, folder)
    const bundle = await startServer(serveFolder(folder))
    servers.push(bundle)
    const tab = await browser.newPage()
    const outbound: string[] = []
    const errors: string[] = []
    tab.on('request', request => {
      if (!request.url().startsWith(bundle.origin.href) && !request.url().startsWith('data:'))
        outbound.push(request.url())
    })
    tab.on('pageerror', error => errors.push(String(error)))
    for (const path of ['/', '/guide/']) {
      await tab.goto(new URL(path, bundle.origin).href, { waitUntil: 'load' })
      await new Promise(resolve => setTimeout(resolve, 300))
      const dead = '#docsearch, .DocSearch, #swagger-ui, #ask, iframe, noscript, [src^=http], link[href^=http]'
      expect(await tab.$$eval(dead, all => all.map(element => element.outerHTML))).toEqual([])
    }
    await tab.type('#q', 'pip')
    expect(await tab.$eval('#hits', element => element.textContent)).toBe('found pip')
    expect([outbound, errors]).toEqual([[], []])
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('products that a script adds to a rendered page are removed and never loaded', {
  timeout: 90_000,
}, async context => {
  if (!findBrowser()) return context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  const asked: string[] = []
  const program = `const app = document.getElementById('app')
    app.innerHTML = '<main><p>' + ${JSON.stringify(words('app'))} + '</p><div class="crisp-client"><p>Chat</p></div></main>'
    const own = document.createElement('script'); own.src = '/matomo.js'; document.body.append(own)`
  const server = await startFakeSite(path => {
    asked.push(path)
    if (path === '/app.js') return { body: program, headers: { 'content-type': 'text/javascript' } }
    if (path !== '/') return undefined
    return '<!doctype html><html><head></head><body><div id="app"></div><script src="/app.js"></script></body></html>'
  })
  servers.push(server)
  const { entries, report } = await exportFakeSite(server.origin, { verify: 'static' })
  const html = readEntry(entries, 'index.html')
  expect(report.renderedPages).toEqual(['/'])
  expect(html).toContain('app79')
  expect(html).not.toMatch(/crisp|Chat|matomo/)
  expect(asked).not.toContain('/matomo.js')
  expect(report.removedFeatures.map(({ product }) => product)).toEqual(['Crisp', 'Matomo'])
})
