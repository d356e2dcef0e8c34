import { expect, test } from 'vitest'
import { type BackupAbout, checkPath, parseAbout, parseManifest } from '../../../server/store/backup/manifest.ts'

const about: BackupAbout = {
  format: 1,
  createdAt: '2026-11-20T10:00:00.000Z',
  quire: '0.1.0',
  node: 'v26.10.0',
  sqlite: '3.51.0',
  schema: 13,
}
const file = { path: 'quire.db', sizeBytes: 4096, sha256: 'a'.repeat(64) }

test('the first file of a backup is read', () => {
  expect(parseAbout(JSON.stringify(about), 13)).toEqual(about)
})

test.each(['format', 'schema', 'quire'])('a first file without %s is no backup', name => {
  expect(() => parseAbout(JSON.stringify({ ...about, [name]: undefined }), 13)).toThrow('This is not a backup of Quire')
})

test.each([
  ['a format', { format: 2 }],
  ['a schema', { schema: 14 }],
])('a backup with %s of a newer Quire is refused', (_, newer) => {
  expect(() => parseAbout(JSON.stringify({ ...about, ...newer }), 13)).toThrow('Upgrade Quire')
})

test('the manifest is read; its warnings may be missing', () => {
  expect(parseManifest(JSON.stringify({ files: [file] }), about)).toEqual({ ...about, files: [file], warnings: [] })
})

test.each([
  ['no path', { ...file, path: 1 }],
  ['no size', { ...file, sizeBytes: '4096' }],
  ['a fraction of a byte', { ...file, sizeBytes: 0.5 }],
  ['no digest', { ...file, sha256: undefined }],
  ['a short digest', { ...file, sha256: 'a'.repeat(63) }],
  ['nothing', null],
])('a file with %s makes it no backup', (_, wrong) => {
  const files = [file, wrong]
  expect(() => parseManifest(JSON.stringify({ files }), about)).toThrow('This is not a backup of Quire')
})

test.each([
  ['without the main database', []],
  ['without a list of files', undefined],
])('a manifest %s is none', (_, files) => {
  expect(() => parseManifest(JSON.stringify({ files }), about)).toThrow('This is not a backup of Quire')
})

test('a file that is listed twice is refused by name', () => {
  expect(() => parseManifest(JSON.stringify({ files: [file, file] }), about)).toThrow('The backup has "quire.db" twice')
})

test('a path may have 1,024 characters, and no more', () => {
  expect(() => checkPath('a'.repeat(1024))).not.toThrow()
  expect(() => checkPath('a'.repeat(1025))).toThrow('which no backup of Quire has')
})
