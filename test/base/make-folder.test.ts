import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFolder } from '../../server/base/make-folder.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'quire-make-folder-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('creates a folder and those above it, once or more', async () => {
  const folder = join(root, 'a/b/c')
  await Promise.all([makeFolder(folder), makeFolder(folder)])
  await makeFolder(folder)
  expect(statSync(folder).isDirectory()).toBe(true)
})

test('a file in the way is an error', async () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder(join(file, 'a/b'))).rejects.toMatchObject({ code: 'EEXIST' })
})

test.skipIf(process.platform !== 'linux')(
  'a folder in which none can be created is an error, and no endless loop',
  async () => {
    await expect(makeFolder('/proc/quire/a')).rejects.toMatchObject({ code: 'ENOENT' })
  },
)
