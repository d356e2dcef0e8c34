import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { parseSiteHeaders } from '../../../server/web/fetch/site-headers.ts'
import { exportFakeSite, page } from '../../export/fake-site.ts'
import { readArchive, readEntry } from '../../export/read-archive.ts'
import { type RunningServer, startServer } from '../../export/static-server.ts'
import { runQuire } from '../../support/process.ts'

const secret = 'Bearer s3cret-value'
const opened: RunningServer[] = []
const folder = mkdtempSync(join(tmpdir(), 'quire-headers-'))

afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
})

test('headers are read by name, and errors do not contain their values', () => {
  expect(parseSiteHeaders(['Authorization: Bearer a:b', 'COOKIE:  lang=de; sid=1 '])).toEqual({
    authorization: 'Bearer a:b',
    cookie: 'lang=de; sid=1',
  })
  expect(Object.keys(parseSiteHeaders(['constructor: a', '__proto__: b']))).toEqual(['constructor', '__proto__'])
  for (const [texts, message] of [
    [['Cookie: a=1', secret], /^the second header is not written as "Name: value"$/],
    [[`Authorization ${secret}: x`], /^the first header is not written as "Name: value"$/],
    [[`Host: ${secret}`], /^host is set by the export itself$/],
    [[`If-None-Match: ${secret}`], /^if-none-match is/],
    [[`Authorization: ${secret}`, 'authorization: x'], /^authorization is given twice$/],
    [['Authorization:  '], /^authorization has no value$/],
    [
      [`Authorization: ${secret}\u20ac`],
      /^the value of authorization contains characters that are not allowed in a header$/,
    ],
    [[`Authorization: ${secret}\r\nX: y`], /^the value of authorization contains characters/],
  ] as const)
    expect(() => parseSiteHeaders(texts)).toThrow(message)
})

/** Starts a site that requires a secret header, and another host that its pages load from and redirect to. */
async function startPrivateSite() {
  const told: string[] = []
  const other = await startServer((request, response) => {
    told.push(request.headers.authorization ?? '')
    response.writeHead(200, { 'content-type': 'text/css' }).end('b{color:red}')
  })
  const isIn = ({ headers }: IncomingMessage) => headers.authorization === secret
  const site = await startServer((request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end()
    if (!isIn(request)) return response.writeHead(401, { 'content-type': 'text/html' }).end('<h1>Who are you?</h1>')
    if (request.url === '/away') return response.writeHead(302, { location: `${other.origin.href}a.css` }).end()
    const pages: Record<string, string> = {
      '/': page('home', `<link rel=stylesheet href="${other.origin.href}b.css"><a href="/a">a</a><img src=/away>`),
      // Empty without its script, so a browser must request the data.
      '/a': '<!doctype html><title>a</title><div id="app"></div><script src="/a.js"></script>',
    }
    const data = {
      '/a.js': "fetch('/a.json').then(r=>r.json()).then(t=>{app.innerHTML='<h1>'+t+'</h1>'})",
      '/a.json': '"Private words of a page"',
    }
    const script = data[request.url as keyof typeof data]
    const html = pages[request.url ?? '']
    const type = script ? (request.url === '/a.js' ? 'text/javascript' : 'application/json') : 'text/html'
    response.writeHead(script || html ? 200 : 404, { 'content-type': type }).end(script ?? html ?? 'no')
  })
  opened.push(site, other)
  return { site, other, told }
}

describe('a site that requires a header', () => {
  beforeEach(context => {
    if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  })

  test('is exported with the header, also rendered pages, and no other host gets it, even after a redirect', async () => {
    const { site, other, told } = await startPrivateSite()
    const { report, entries } = await exportFakeSite(site.origin, {
      siteHeaders: { authorization: secret },
      alsoAllowed: [other.origin],
      verify: 'static',
    })
    expect([report.pages, report.deadLinks]).toEqual([2, []])
    expect(readEntry(entries, 'a.html')).toContain('Private words of a page')
    expect(told.length).toBeGreaterThanOrEqual(2)
    expect(new Set(told)).toEqual(new Set(['']))
  })

  test('the command reads headers from a flag or the environment, and neither prints nor stores them', async () => {
    const { site } = await startPrivateSite()
    const run = (args: string[], env: Record<string, string> = {}) =>
      runQuire(['export', site.origin.href, '-o', join(folder, 'x.zip'), '--verify', 'static', ...args], { env })
    const refused = await run([])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /returned no page at \/ \(status 401\); the site requires a login: .+ quire export --header.+\.\n$/,
      ),
    ])
    const cache = join(folder, 'cache')
    const flagged = await run(['--header', `Authorization: ${secret}`, '--cache', cache])
    expect([flagged.code, flagged.stdout + flagged.stderr]).toEqual([0, expect.not.stringContaining('s3cret')])
    const fromEnvironment = await run(['--json'], { QUIRE_EXPORT_HEADERS: `X-A: 1\nAuthorization: ${secret}\n` })
    expect([fromEnvironment.code, fromEnvironment.stdout]).toEqual([0, expect.not.stringContaining('s3cret')])
    const kept = readdirSync(cache, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
    expect(kept.length).toBeGreaterThan(0)
    for (const entry of kept) expect(readFileSync(join(entry.parentPath, entry.name)).includes('s3cret')).toBe(false)
    const entries = readArchive(join(folder, 'x.zip'))
    for (const { name } of entries) expect(readEntry(entries, name)).not.toContain('s3cret')
    const wrong = await run(['--header', `Authorization ${secret}`])
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      `--header: the first header is not written as "Name: value". Example: --header 'Authorization: Bearer TOKEN'\n`,
    ])
  })
})
