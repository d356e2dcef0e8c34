import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkBundle } from '../../../server/export/check/check-bundle.ts'
import type { BundleCheck } from '../../../server/export/check/check-result.ts'
import type { Verify } from '../../../server/export/model/options.ts'
import { defaultUnpackLimits } from '../../../server/unpack/unpack-limits.ts'
import { findBrowser } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, nextFiles, page, startFakeSite } from '../fake-site.ts'
import { unpackArchive } from '../read-archive.ts'
import type { RunningServer } from '../static-server.ts'

let parent = ''
let site: RunningServer
let archive = ''
let sha256 = ''
let copies = 0

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'quire-check-'))
  const text = '<p>some more words that every page of this site shows to its readers every day</p>'
  const links = ['/a', '/b/one', '/b/two', '/c', '/d'].map(path => `<a href="${path}">${path}</a>`).join(' ')
  const script = '<script src="/app.js"></script>'
  site = await startFakeSite({
    '/': page('home', `${links}<link rel="stylesheet" href="/style.css">${text}${script}`),
    ...Object.fromEntries(['/a', '/b/one', '/b/two', '/c', '/d'].map(path => [path, page(path, text + script)])),
    '/app.js': 'document.body.append("a word that the script adds")',
    '/style.css': 'body { background: url(/a.png) }',
    '/a.png': Buffer.from('picture'),
  })
  archive = nextFiles().outFile
  ;({ sha256 } = await exportFakeSite(site.origin, { outFile: archive, verify: 'static', offlineSearch: true }))
})
afterAll(async () => {
  await site.close()
  rmSync(parent, { recursive: true, force: true })
})

async function check(bundle: string, verify: Verify = 'static'): Promise<BundleCheck> {
  const workFolder = mkdtempSync(join(parent, 'work-'))
  return checkBundle({
    ...{ bundle, workFolder, verify, allowNoSandbox: true },
    limits: { pageTimeoutMs: 30_000, pageRequests: 100 },
    unpackLimits: defaultUnpackLimits,
    signal: new AbortController().signal,
  })
}

/** Unpacks the bundle for a test that changes it. */
function unpack(): string {
  copies += 1
  const folder = join(parent, `bundle-${copies}`)
  unpackArchive(archive, folder)
  return folder
}

const describeFaults = ({ faults }: BundleCheck) =>
  faults.map(({ page, place, what }) => [page ?? '', place ?? '', what].join(' | '))

test('a sound bundle has no faults, as an archive and as a folder', async () => {
  const checked = await check(archive)
  expect(checked).toMatchObject({ kind: 'zip', sha256, domain: 'docs.example.com', pages: 6, faults: [], notes: [] })
  expect(checked.unopened).toMatch(
    /because of --verify static: requests, errors and text of the pages were not checked/,
  )
  expect(await check(unpack())).toMatchObject({ kind: 'folder', sha256: null, pages: 6, faults: [] })
})

describe('finds in the files of a bundle', () => {
  test.each<[string, (folder: string) => void, RegExp]>([
    [
      'a missing page',
      folder => unlinkSync(join(folder, 'd.html')),
      /index\.html \| {2}\| names d\.html, which is not/,
    ],
    [
      'a missing page that no other page names',
      folder => {
        unlinkSync(join(folder, 'd.html'))
        const file = join(folder, 'index.html')
        writeFileSync(file, readFileSync(file, 'utf8').replace(/<a href="d\.html">/, '<a>'))
      },
      /The report counts 6 pages, but the bundle has 5\./,
    ],
    ['a missing picture of a style sheet', folder => unlinkSync(join(folder, 'a.png')), /style\.css .* names a\.png/],
    [
      'a picture of another host',
      folder => appendFileSync(join(folder, 'a.html'), '<img src="https://elsewhere.example.com/x.png">'),
      /a\.html \| {2}\| names https:\/\/elsewhere\.example\.com\/x\.png, which is not in the bundle/,
    ],
    [
      'a page without a policy',
      folder => writeFileSync(join(folder, 'new.html'), '<!doctype html><p>x'),
      /new\.html \| {2}\| has no policy that keeps it from loading files of other hosts/,
    ],
    [
      'a page that may load from another host',
      folder => {
        const file = join(folder, 'a.html')
        writeFileSync(
          file,
          readFileSync(file, 'utf8').replace("default-src 'self'", "default-src 'self' https://x.test"),
        )
      },
      /a\.html \| {2}\| may load files from x\.test, and the report names no product of that host/,
    ],
    ['a missing report', folder => unlinkSync(join(folder, 'export-report.json')), /The bundle has no export-report/],
    [
      'a damaged report',
      folder => writeFileSync(join(folder, 'export-report.json'), '{"domain": 1'),
      /export-report\.json is not the report of an export/,
    ],
    [
      'a changed file',
      folder => appendFileSync(join(folder, 'a.png'), ' '),
      /^a\.png \| {2}\| was changed: it is not the file of quire-manifest\.json$/,
    ],
    [
      'a file that is not listed',
      folder => writeFileSync(join(folder, 'more.txt'), 'x'),
      /^more\.txt \| {2}\| is not in quire-manifest\.json$/,
    ],
    [
      'a listed file that is missing',
      folder => unlinkSync(join(folder, 'export-report.html')),
      /^export-report\.html \| {2}\| is missing, and quire-manifest\.json lists it$/,
    ],
    [
      'a damaged manifest',
      folder => writeFileSync(join(folder, 'quire-manifest.json'), '{}'),
      /json cannot be read\.$/,
    ],
    [
      'a link',
      folder => symlinkSync('/etc/passwd', join(folder, 'passwd.html')),
      /passwd\.html \| {2}\| is neither a file nor a folder/,
    ],
  ])('%s', async (_, damage, fault) => {
    const folder = unpack()
    damage(folder)
    expect(describeFaults(await check(folder)).join('\n')).toMatch(fault)
  })
})

test('an archive with a flipped byte, and one that is cut off, are damaged', async () => {
  const bytes = readFileSync(archive)
  const file = join(parent, 'damaged.zip')
  // Every byte before the directory: content, headers, and the records between them.
  const directory = bytes.readUInt32LE(bytes.length - 6)
  const flips = Array.from({ length: 40 }, (_, index) => {
    const flipped = Buffer.from(bytes)
    const wanted = Math.floor((index * directory) / 40)
    // The last byte of compressed content may have bits without a meaning.
    const at = bytes.toString('latin1', wanted + 1, wanted + 5) === 'PK\x07\x08' ? wanted + 1 : wanted
    flipped[at] = (flipped[at] ?? 0) ^ 0x40
    return flipped
  })
  for (const damaged of [...flips, bytes.subarray(0, -100)]) {
    writeFileSync(file, damaged)
    expect(await check(file)).toMatchObject({
      faults: [{ page: null, what: expect.stringMatching(/damaged|neither a zip/) }],
      unopened: expect.stringContaining('the archive cannot be unpacked'),
    })
  }
})

test.skipIf(findBrowser() === null)('opens pages in three places and finds what is wrong there', async () => {
  expect(await check(archive, 'sample')).toMatchObject({
    faults: [],
    unopened: null,
    openedPages: ['a.html', 'b/one.html', 'b/two.html', 'c.html', 'd.html', 'index.html'],
  })
  const folder = unpack()
  const change = (path: string, script: string) => appendFileSync(join(folder, path), `<script>${script}</script>`)
  change('a.html', 'fetch("missing.json")')
  change('b/one.html', 'if (location.protocol === "file:") throw new Error("no file")')
  change('b/two.html', 'if (location.pathname.startsWith("/any/")) document.body.innerHTML = "<h1>gone</h1>"')
  change('c.html', 'new Image().src = "https://elsewhere.example.com/beacon"')
  change('d.html', 'document.body.remove()')
  const found = describeFaults(await check(folder, 'sample'))
  const of = (page: string) => found.filter(fault => fault.startsWith(`${page} `) && !fault.includes(' was changed: '))
  expect(of('a.html')).toContain('a.html | root | a request fails: missing.json')
  expect(of('b/one.html')).toEqual(['b/one.html | file | an error: Error: no file'])
  expect(of('b/two.html')).toEqual([
    expect.stringMatching(/^b\/two\.html \| folder \| \d+ of \d+ words are not shown$/),
  ])
  expect(of('c.html')).toEqual(
    ['root', 'folder', 'file'].map(place => `c.html | ${place} | it asks for https://elsewhere.example.com/beacon`),
  )
  expect(of('d.html')).toEqual(['root', 'folder', 'file'].map(place => `d.html | ${place} | it shows no text`))
  expect(of('index.html')).toEqual([])
})

test.skipIf(findBrowser() === null)('a page without text and scripts is no fault', async () => {
  const picture = await startFakeSite({
    '/': page('home', '<a href="/picture">picture</a>'),
    '/picture': '<!doctype html><title>picture</title><svg width="9" height="9"><path d="M0 0h9v9z"/></svg>',
  })
  const { outFile } = nextFiles()
  await exportFakeSite(picture.origin, { outFile }).finally(() => picture.close())
  const checked = await check(outFile, 'sample')
  expect(checked.faults).toEqual([])
  expect(checked.notes).toContain('picture.html at the root of a host: it shows no text.')
})
