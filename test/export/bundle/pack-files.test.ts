import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { choosePacked, packFiles } from '../../../server/export/bundle/pack-files.ts'
import type { FileOutcome } from '../../../server/export/model/resource.ts'
import { createSite } from '../../../server/export/model/site.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-packed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const origin = 'http://127.0.0.1:1'
const site = createSite('docs.example.com', new URL(origin))

/** @param sizes of the files of the site, by path. */
function choose(sizes: Record<string, number>, looks: string[][], bySearch: string[] = []): string[] {
  const files = new Map(
    Object.entries(sizes).map(([path, sizeBytes]) => [
      origin + path,
      { state: 'file', resource: { sizeBytes } } as FileOutcome,
    ]),
  )
  const full = (paths: string[]) => paths.map(path => origin + path)
  const fetched = { looks: looks.map(paths => ({ fetched: full(paths) })), bySearch: full(bySearch) }
  return choosePacked({ site, files }, fetched).map(key => key.slice(origin.length))
}

test('chooses the files that scripts fetched, smallest first', () => {
  const files = { '/index.json': 20, '/words.json': 10, '/other.json': 5 }
  expect(choose(files, [['/index.json'], ['/index.json', '/gone.json']], ['/words.json'])).toEqual([
    '/words.json',
    '/index.json',
  ])
})

test('leaves out the data of single pages, because pages that nobody opened have other data', () => {
  const files = { '/data/a.json': 1, '/data/b.json': 1, '/menu.html': 1, '/all.json': 1 }
  const looks = [
    ['/data/a.json', '/all.json', '/menu.html'],
    ['/data/b.json', '/all.json'],
  ]
  expect(choose(files, looks)).toEqual(['/all.json', '/menu.html'])
})

test('chooses the other parts of a search index last, and no other files like the only one that the search fetched', () => {
  const files = { '/a.part': 3, '/b.part': 3, '/c.part': 1, '/deep/d.part': 1, '/e.json': 1, '/f.json': 1 }
  expect(choose(files, [], ['/b.part', '/a.part', '/e.json'])).toEqual(['/e.json', '/a.part', '/b.part', '/c.part'])
})

test('leaves out large files, and files beyond the limit of all together', () => {
  const mebibyte = 1024 ** 2
  const files = { '/a.json': 9 * mebibyte, '/b.json': 8 * mebibyte, '/c.json': 7 * mebibyte, '/d.json': 1 }
  expect(choose(files, [Object.keys(files)])).toEqual(['/d.json', '/c.json', '/b.json'])
  const many = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`/${at}.json`, 3 * mebibyte]))
  expect(choose(many, [Object.keys(many)])).toHaveLength(5)
})

test('writes a copy of each file, as text or in base64', async () => {
  mkdirSync(join(folder, 'a b'))
  writeFileSync(join(folder, 'a b', 'ä.json'), '{"a":"ä</script>"}')
  writeFileSync(join(folder, 'x.bin'), Buffer.from([255, 0]))
  const written = await packFiles(folder, [
    { path: 'a b/ä.json', type: 'application/json' },
    { path: 'x.bin', type: 'application/octet-stream' },
    { path: 'missing', type: 'text/plain' },
  ])
  expect(written).toEqual(['_quire/packed.js', '_quire/packed/1.js', '_quire/packed/2.js'])
  expect(readdirSync(join(folder, '_quire/packed'))).toEqual(['1.js', '2.js'])
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  expect(read('_quire/packed/1.js')).toBe('__quirePacked("1","{\\"a\\":\\"\\u00e4\\u003c/script>\\"}")\n')
  expect(read('_quire/packed/2.js')).toBe('__quirePacked("2",null,"/wA=")\n')
  expect(read('_quire/packed.js')).toContain('"1":{"path":"a%20b/%C3%A4.json","type":"application/json"}')
  expect(await packFiles(folder, [])).toEqual([])
})
