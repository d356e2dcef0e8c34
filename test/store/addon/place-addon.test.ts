import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listAddonFolders } from '../../../server/store/addon/load-addon.ts'
import { type PackedAddon, placeAddon } from '../../../server/store/addon/place-addon.ts'

const bytes = Buffer.from('the bytes of an addon')
const pack = (content: Buffer): PackedAddon => ({
  sha256: createHash('sha256').update(content).digest('hex'),
  readBytes: () => content,
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-addon-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the addon is placed under a name with its SHA-256, and only its owner can read it', () => {
  const path = join(folder, 'cache', 'quire')
  const file = placeAddon(pack(bytes), { path, mayCreate: true })
  expect(file).toMatch(/\/cache\/quire\/better_sqlite3-[0-9a-f]{16}\.node$/)
  expect(readFileSync(file)).toEqual(bytes)
  expect([statSync(path).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o500])
  expect(readdirSync(path)).toHaveLength(1)
  expect(placeAddon(pack(Buffer.from('others')), { path, mayCreate: true })).not.toBe(file)
})

test('an existing file is never replaced, because a thread may have loaded it', () => {
  const place = () => placeAddon(pack(bytes), { path: folder, mayCreate: false })
  const before = statSync(place()).ino
  expect(statSync(place()).ino).toBe(before)
})

test('a damaged file is refused and stays', () => {
  const file = placeAddon(pack(bytes), { path: folder, mayCreate: false })
  chmodSync(file, 0o700)
  writeFileSync(file, 'other bytes')
  expect(() => placeAddon(pack(bytes), { path: folder, mayCreate: false })).toThrow(`${file} is damaged. Delete it.`)
  expect(readFileSync(file, 'utf8')).toBe('other bytes')
})

test('a name that is not a file is refused', () => {
  const file = placeAddon(pack(bytes), { path: folder, mayCreate: false })
  rmSync(file)
  mkdirSync(file)
  expect(() => placeAddon(pack(bytes), { path: folder, mayCreate: false })).toThrow(`${file} is not a file. Delete it.`)
})

test('a folder that others can write to is refused, because they could replace the file', () => {
  chmodSync(folder, 0o770)
  expect(() => placeAddon(pack(bytes), { path: folder, mayCreate: false })).toThrow(
    `Other users can write to ${folder}.`,
  )
  expect(readdirSync(folder)).toEqual([])
})

test('a cache folder of Quire that a generous umask opened to a group is closed to it', () => {
  chmodSync(folder, 0o775)
  placeAddon(pack(bytes), { path: folder, mayCreate: true })
  expect(statSync(folder).mode & 0o777).toBe(0o755)
})

test('a missing folder is created only where that is wanted', () => {
  const path = join(folder, 'data')
  expect(() => placeAddon(pack(bytes), { path, mayCreate: false })).toThrow('ENOENT')
  expect(readdirSync(folder)).toEqual([])
})

test.each<[string, string[], NodeJS.ProcessEnv, string[]]>([
  ['a user', ['serve'], {}, ['/home/me/.cache/quire', `${process.cwd()}/data`]],
  ['XDG_CACHE_HOME', [], { XDG_CACHE_HOME: '/c', QUIRE_DATA: '/d' }, ['/c/quire', '/d']],
  [
    'a relative XDG_CACHE_HOME, which is ignored',
    [],
    { XDG_CACHE_HOME: 'c', QUIRE_DATA: '/d' },
    ['/home/me/.cache/quire', '/d'],
  ],
  [
    'a service',
    [],
    { CACHE_DIRECTORY: '/var/cache/quire:/x', QUIRE_DATA: '/d' },
    ['/var/cache/quire', '/home/me/.cache/quire', '/d'],
  ],
  ['--data', ['serve', '--data', '/e'], { QUIRE_DATA: '/d' }, ['/home/me/.cache/quire', '/e']],
  ['--data=', ['serve', '--data=/e', '--port', '1'], {}, ['/home/me/.cache/quire', '/e']],
])('folders of %s', (_, args, env, want) => {
  expect(listAddonFolders(args, env, '/home/me').map(({ path }) => path)).toEqual(want)
})

test('a user without a home folder places the addon in the data folder', () => {
  expect(listAddonFolders([], { QUIRE_DATA: '/d' }, '')).toEqual([{ path: '/d', mayCreate: false }])
})
