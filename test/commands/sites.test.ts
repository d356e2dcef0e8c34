import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { describeProbe } from '../../server/commands/sites.ts'
import { probeSite, type SiteProbe } from '../../server/export/probe-site.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { calledAs, runQuire } from '../support/process.ts'
import { createOrganization } from '../support/server.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function serve(handler: RequestListener): Promise<URL> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise(done => server.once('listening', done))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

const page = '<!doctype html><title>Acme\n docs</title><meta name="Generator" content="Docusaurus v3.5.2"><p>Hello'
const shell = '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>'
const docs: RequestListener = (req, res) => {
  if (req.url === '/robots.txt')
    return void res.setHeader('Content-Type', 'text/plain').end('User-agent: *\nDisallow: /')
  res.setHeader('Content-Type', 'text/html; charset=utf-8').end(page)
}
const probe = (origin: URL, originAllowed = true) => probeSite({ origin, originAllowed, timeoutMs: 2000 })

test('says what the first page is', async () => {
  const origin = await serve(docs)
  expect(await probe(origin)).toEqual({
    url: origin.href,
    answeredBy: origin.href,
    status: 200,
    contentType: 'text/html',
    title: 'Acme docs',
    generator: 'Docusaurus v3.5.2',
    rendering: 'server',
    sitemapPages: null,
    robots: 'forbids',
    error: null,
  })
})

test('says whether the page needs a browser, and counts the pages of a sitemap and of those it names', async () => {
  const origin = await serve((req, res) => {
    const sitemaps: Record<string, string> = {
      '/sitemap.xml':
        '<sitemapindex><sitemap><loc>HOST/a.xml</loc></sitemap><sitemap><loc>HOST/b.xml</loc></sitemap><sitemap><loc>http://192.0.2.1/c.xml</loc></sitemap></sitemapindex>',
      '/a.xml': '<urlset><url><loc>HOST/1</loc></url><url><loc>HOST/2</loc></url></urlset>',
      '/b.xml': '<urlset><url><loc>HOST/3</loc></url></urlset>',
    }
    const sitemap = sitemaps[req.url ?? '']?.replaceAll('HOST', `http://${req.headers.host}`)
    if (sitemap !== undefined) res.setHeader('Content-Type', 'application/xml').end(sitemap)
    else if (req.url === '/') res.setHeader('Content-Type', 'text/html').end(shell)
    else res.writeHead(404).end()
  })
  expect(await probe(origin)).toMatchObject({ rendering: 'browser', sitemapPages: 3 })
})

test('says where it is redirected, and that there is no robots.txt', async () => {
  const elsewhere = await serve(docs)
  const origin = await serve((req, res) => {
    if (req.url === '/robots.txt') res.writeHead(404).end()
    else res.writeHead(302, { Location: `${elsewhere.href}guide/` }).end()
  })
  expect(await probe(origin)).toMatchObject({ error: expect.stringMatching(/not a public address.*redirected to/) })
  const same = await serve((req, res) => {
    if (req.url === '/') res.writeHead(302, { Location: '/guide/' }).end()
    else if (req.url === '/guide/') docs(req, res)
    else res.writeHead(404).end()
  })
  expect(await probe(same)).toMatchObject({ answeredBy: `${same.href}guide/`, status: 200, robots: 'none' })
})

test.each([
  { about: 'a private address without an origin', allowed: false, handler: docs, error: /not a public address/ },
  { about: 'a server that never answers', allowed: true, handler: () => {}, error: /did not answer within/ },
])('never throws: $about', async ({ allowed, handler, error }) => {
  expect(await probe(await serve(handler as RequestListener), allowed)).toMatchObject({
    status: null,
    answeredBy: null,
    error: expect.stringMatching(error),
  })
})

test('reads a title without the control characters that a terminal would obey', async () => {
  const origin = await serve(
    (_, res) => void res.setHeader('Content-Type', 'text/html').end('<title>a\u001b]0;b\u0007c</title>'),
  )
  expect(await probe(origin)).toMatchObject({ title: 'a ]0;b c' })
})

const answered: SiteProbe = {
  url: 'https://docs.example.com/',
  answeredBy: 'https://docs.example.com/',
  status: 200,
  contentType: 'text/html',
  title: 'Acme docs',
  generator: null,
  rendering: 'server',
  sitemapPages: null,
  robots: 'allows',
  error: null,
}
const site = { domain: 'docs.example.com', origin: null }

test.each<{ about: string; probe: Partial<SiteProbe>; origin?: string; facts?: RegExp; warnings?: RegExp }>([
  { about: 'a good answer', probe: {}, facts: /answers 200: text\/html, title “Acme docs”\.\nIts robots\.txt allows/ },
  {
    about: 'a page that needs a browser, and a sitemap',
    probe: { rendering: 'browser', sitemapPages: 12 },
    facts: /made by scripts, .*\nIts sitemap lists 12 pages\./,
  },
  { about: 'an error status', probe: { status: 503 }, facts: /answers 503/, warnings: /An export needs a page/ },
  { about: 'a file', probe: { contentType: 'application/pdf' }, facts: /pdf/, warnings: /not an HTML page/ },
  {
    about: 'another host',
    probe: { answeredBy: 'https://www.example.com/docs/' },
    facts: /answers 200/,
    warnings:
      /another host, https:\/\/www\.example\.com\/docs\/\. .*set-origin docs\.example\.com https:\/\/www\.example\.com\//,
  },
  {
    about: 'a forbidding robots.txt',
    probe: { robots: 'forbids' },
    facts: /200/,
    warnings: /robots\.txt forbids the export/,
  },
  {
    about: 'a forbidding robots.txt of an origin that the operator set',
    probe: { robots: 'forbids' },
    origin: 'https://docs.example.com/',
    facts: /It is not obeyed/,
  },
  {
    about: 'no answer',
    probe: { status: null, answeredBy: null, error: 'the name docs.example.com cannot be resolved' },
    warnings: /does not answer: the name docs\.example\.com cannot be resolved\. The site is registered\./,
  },
])('describes $about', ({ probe: found, origin = null, facts, warnings }) => {
  const described = describeProbe({ ...site, origin }, { ...answered, ...found })
  expect(described.facts.join('\n')).toMatch(facts ?? /^$/)
  expect(described.warnings.join('\n')).toMatch(warnings ?? /^$/)
})

let folder: string
let store: Store
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-site-probe-'))
  store = openStore(folder)
  await createOrganization(store)
})
afterAll(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})
const create = (domain: string, ...args: string[]) =>
  runQuire(['sites', 'create', domain, '--project', 'Docs', '--data', folder, ...args])

test('sites create says what it saw, and --no-probe asks nothing', async () => {
  const requests: string[] = []
  const origin = await serve((req, res) => {
    requests.push(req.url ?? '')
    docs(req, res)
  })
  const silent = await create('a.example.com', '--origin', origin.href, '--no-probe')
  expect(silent).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^a\.example\.com is a site of prj_\w+\.\n$/),
  })
  expect(requests).toEqual([])
  const { code, stdout } = await create('b.example.com', '--origin', origin.href)
  expect(code).toBe(0)
  expect(stdout.split('\n')).toContain(
    `${origin.href} answers 200: text/html, title “Acme docs”, made by Docusaurus v3.5.2.`,
  )
  expect(requests.sort()).toEqual(['/', '/robots.txt', '/sitemap.xml'])
})

test('a site that does not answer is created all the same, with a warning', async () => {
  const origin = await serve(docs)
  for (const server of servers.splice(0)) await new Promise(done => server.close(done))
  const created = await create('c.example.com', '--origin', origin.href)
  expect(created).toMatchObject({ code: 0, stderr: expect.stringContaining('Warning:') })
  expect(created.stderr).toContain('no server listens at')
  // One line, so that the address and the command can be pasted.
  expect(created.stderr).toMatch(new RegExp(`^Warning: .* ${calledAs} sites set-origin c\\.example\\.com URL\\n$`))
  expect(await store.sites.find('c.example.com')).toMatchObject({ origin: origin.href })
  const asJson = await create('d.example.com', '--origin', origin.href, '--json')
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    domain: 'd.example.com',
    probe: { status: null, error: expect.any(String) },
  })
})
