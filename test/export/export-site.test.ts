import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { setUpBrowserlessExports } from './browserless-exports.ts'
import { exportFakeSite, nextFiles, page } from './fake-site.ts'
import { readEntry } from './read-archive.ts'

const { start, run } = setUpBrowserlessExports()

test('packs the files that pages need, also those of style sheets and scripts', async () => {
  const { names, report } = await run({
    '/': page(
      'home',
      '<link rel=stylesheet href="/css/a.css?v=1"><img srcset="/img/1.png 1x, /img/2.png 2x"><script src="js/app.js"></script><a href="/x.pdf">x</a>',
    ),
    '/css/a.css': '@import "b.css"; a { background: url(../img/3.png) }',
    '/css/b.css': '@font-face { src: url(/fonts/f.woff2) }',
    '/js/app.js': 'import("./chunk.js"); fetch("/data/list.json"); load("no/such.json")',
    '/js/chunk.js': 'export const x = "../js/deep.js"',
    '/js/deep.js': '1',
    '/data/list.json': '{}',
    '/img/1.png': '1',
    '/img/2.png': '2',
    '/img/3.png': '3',
    '/fonts/f.woff2': 'f',
    '/x.pdf': 'pdf',
    '/favicon.ico': 'icon',
  })
  expect(names).toEqual([
    'css/a.css',
    'css/b.css',
    'data/list.json',
    'export-report.html',
    'export-report.json',
    'favicon.ico',
    'fonts/f.woff2',
    'img/1.png',
    'img/2.png',
    'img/3.png',
    'index.html',
    'js/app.js',
    'js/chunk.js',
    'js/deep.js',
    'quire-manifest.json',
    'x.pdf',
  ])
  expect(report.missingFiles).toEqual([])
})

test('the same site gives the same bytes, also after a run that was killed', async () => {
  const site = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `/p${index}`,
      page(`p${index}`, `<a href="/p${(index * 7 + 1) % 40}">x</a><img src="/i${index % 5}.png">`),
    ]),
  )
  const { origin } = await start({
    '/': page('home', '<a href="/p0">x</a><a href="/p13">x</a>'),
    ...site,
    '/i0.png': '0',
    '/i1.png': '1',
  })
  const first = await exportFakeSite(origin)
  const { workFolder } = nextFiles()
  mkdirSync(join(workFolder, 'fetched'), { recursive: true })
  writeFileSync(join(workFolder, 'fetched', 'leftover'), 'x')
  const second = await exportFakeSite(origin, { workFolder })
  expect(second.sha256).toBe(first.sha256)
  const packed = await exportFakeSite(origin, { format: 'tar.gz' })
  const packedAgain = await exportFakeSite(origin, { format: 'tar.gz' })
  expect(packedAgain.sha256).toBe(packed.sha256)
  expect(packed.entries).toEqual(first.entries.map(entry => ({ ...entry, mode: entry.mode & 0o777 })))
})

test('an abort ends the export at once and leaves no files', async () => {
  const controller = new AbortController()
  const files = nextFiles()
  const site = (path: string) =>
    /^\/\d*$/.test(path) ? page(path, `<a href="/${Number(path.slice(1)) + 1}">x</a>`) : undefined
  const work = run(site, {
    ...files,
    signal: controller.signal,
    onProgress: ({ pagesDone }) => pagesDone > 20 && controller.abort(),
  })
  await expect(work).rejects.toMatchObject({ code: 'aborted' })
  expect([existsSync(files.outFile), existsSync(files.workFolder)]).toEqual([false, false])
})

test('the bundle contains the same report as the result, without times or hosts', async () => {
  const { origin } = await start({ '/': page('home', '<a href="/gone">x</a>') })
  const { entries, report } = await exportFakeSite(origin, { version: '2026.11' })
  const text = readEntry(entries, 'export-report.json')
  expect(JSON.parse(text)).toEqual(report)
  expect(report).toMatchObject({
    domain: 'docs.example.com',
    version: '2026.11',
    deployment: 'air-gapped',
    pages: 1,
    files: 0,
  })
  expect(text).not.toContain(origin.host)
})

test('progress is reported for each stage, and page counts never fall', async () => {
  const seen: { stage: string; pagesDone: number; pagesKnown: number }[] = []
  await run(
    path =>
      /^\/[0-9]*$/.test(path) && Number(path.slice(1)) < 9
        ? page(path, `<a href="/${Number(path.slice(1)) + 1}">x</a>`)
        : undefined,
    {
      onProgress: progress => seen.push(progress),
    },
  )
  expect([...new Set(seen.map(({ stage }) => stage))]).toEqual(['discover', 'fetch', 'archive'])
  const fetching = seen.filter(({ stage }) => stage === 'fetch')
  expect(fetching.map(({ pagesDone }) => pagesDone)).toEqual([...fetching.keys()].map(index => index + 1))
  for (const { pagesDone, pagesKnown } of seen) expect(pagesDone).toBeLessThanOrEqual(pagesKnown)
})

test('an existing archive is replaced only when the new one is complete', async () => {
  const files = nextFiles()
  writeFileSync(files.outFile, 'before')
  await expect(run({}, files)).rejects.toThrow()
  expect(readFileSync(files.outFile, 'utf8')).toBe('before')
})
