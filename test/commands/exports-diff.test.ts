import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportFakeSite, type FakeSite, page, startFakeSite } from '../export/fake-site.ts'
import { unpackArchive } from '../export/read-archive.ts'
import { runQuire } from '../support/process.ts'

const links = (...paths: string[]) => paths.map(path => `<a href="${path}">${path}</a>`).join(' ')
const article = (text: string) => `<main><h1>Guide</h1><h2 id="setup">Set-up</h2>${text}</main>`
const doc = (title: string, text: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><nav>${title} menu</nav>${text}</body></html>`
const same = '<p>The first sentence stays. '

const before: FakeSite = {
  '/': doc('Home', `<main><h1>Home</h1>${links('/guide', '/old', '/gone', '/same')}</main>`),
  '/guide': doc(
    'Guide 1',
    article(`${same}Wait for 30 seconds &amp; press <b>Start</b>.</p><ul><li>one</li><li>two</li></ul>`),
  ),
  '/old': page('Moved', '<p>A text that moves.</p>'),
  '/gone': page('Gone'),
  '/same': page('Same'),
}
const after: FakeSite = {
  '/': doc('Home', `<main><h1>Home</h1>${links('/guide', '/new/place', '/more', '/same')}</main>`),
  '/guide': doc(
    'Guide 2',
    article(
      `${same}Wait for 90 seconds &amp; press <b>Start</b>.</p><ul><li>one</li><li>two</li><li>&lt;three&gt;</li></ul>`,
    ),
  ),
  '/new/place': page('Moved', '<p>A text that moves.</p>'),
  '/more': page('More'),
  '/same': page('Same', '<!-- other markup -->'),
}

let folder = ''
const files: string[] = []

async function run(site: FakeSite, version: string, path = '/'): Promise<string> {
  const started = await startFakeSite(site)
  const outFile = join(folder, `docs-${version}.zip`)
  await exportFakeSite(new URL(path, started.origin), { outFile, version, verify: 'static' })
  await started.close()
  return outFile
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-diff-'))
  files.push(await run(before, '1'), await run(after, '2'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const diff = (...args: string[]) => runQuire(['exports', 'diff', ...args])

test('tells which pages were added, removed, moved and changed, with the changed sentences', async () => {
  const { code, stdout } = await diff(...files, '--json')
  expect(code).toBe(0)
  const { before, after, ...changes } = JSON.parse(stdout)
  expect([before.version, after]).toEqual([
    '1',
    { name: files[1], domain: 'docs.example.com', version: '2', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
  expect(changes).toEqual({
    added: [{ page: 'more.html', name: 'More' }],
    removed: [{ page: 'gone.html', name: 'Gone' }],
    moved: [{ from: 'old.html', to: 'new/place.html', name: 'Moved' }],
    changed: [
      {
        page: 'guide.html',
        name: 'Guide',
        changes: [
          {
            section: 'Set-up',
            anchor: 'setup',
            after: 'The first sentence stays.',
            removed: ['Wait for 30 seconds & press Start.'],
            added: ['Wait for 90 seconds & press Start.'],
          },
          { section: 'Set-up', anchor: 'setup', after: 'two', removed: [], added: ['<three>'] },
        ],
      },
      expect.objectContaining({ page: 'index.html' }),
    ],
    unchanged: 1,
  })
})

test('prints the changes as text, also of folders', async () => {
  const folders = files.map(file => file.replace('.zip', ''))
  for (const [index, to] of folders.entries()) unpackArchive(files[index] ?? '', to)
  const { stdout } = await diff(...folders)
  const from = stdout.indexOf('\nAdded')
  expect(stdout.slice(0, from)).toMatch(
    /docs-1 \(version 1\) -> .*docs-2 \(version 2\): 2 changed, 1 added, 1 removed, 1 moved, 1 unchanged\n$/,
  )
  expect(stdout.slice(from)).toContain(`
Added:
  more.html (More)

Removed:
  gone.html (Gone)

Moved, with the same text:
  old.html -> new/place.html (Moved)

Changed:
  guide.html (Guide)
    Set-up
      - Wait for 30 seconds & press Start.
      + Wait for 90 seconds & press Start.
    Set-up
      + <three>
`)
})

test('writes a page for readers that marks the words, and is one file without scripts', async () => {
  const file = join(folder, 'changes.html')
  expect((await diff(...files, '--html', file)).code).toBe(0)
  const html = readFileSync(file, 'utf8')
  expect(html).toContain('<p>Wait for <del>30</del><ins>90</ins> seconds &amp; press Start.</p>')
  expect(html).toContain('<p><ins>&lt;three&gt;</ins></p>')
  expect(html).toContain('<h1>Changes of docs.example.com</h1>')
  expect(html).not.toMatch(/<script|src=|url\(/)
})

test('pages of two versions are compared although their addresses have the version', async () => {
  const inFolder = (version: string, text: string): FakeSite => ({
    [`/${version}/`]: doc('Home', `<main><h1>Home</h1>${links(`/${version}/a`)}</main>`),
    [`/${version}/a`]: page('A', text),
  })
  const older = await run(inFolder('v8', '<p>Eight.</p>'), '8', '/v8/')
  const newer = await run(inFolder('v9', '<p>Nine.</p>'), '9', '/v9/')
  const { added, removed, moved, changed } = JSON.parse((await diff(older, newer, '--json')).stdout)
  expect([added, removed, moved]).toEqual([[], [], []])
  expect(changed).toContainEqual(expect.objectContaining({ page: 'v9/a.html' }))
})

describe('a bundle that cannot be read is refused with a remedy', () => {
  test.each([
    [
      'no file',
      'docs-9.zip',
      2,
      /There is no bundle docs-9\.zip\. Name an archive, its folder, or the id of an export/,
    ],
    ['no export', 'se_0123456789abcdef', 1, /There is no export se_0123456789abcdef|no database/i],
    ['no archive', import.meta.filename, 1, /neither a zip nor a tar\.gz/],
  ])('%s', async (_, name, exitCode, reason) => {
    const { code, stderr } = await diff(files[0] ?? '', name, '--data', join(folder, 'data'))
    expect([stderr, code]).toEqual([expect.stringMatching(reason), exitCode])
  })
})
