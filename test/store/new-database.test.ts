import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-new-database-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test.each([
  ['link.key'],
  ['visitor.key'],
  ['webhook.key'],
  ['quire.db-wal'],
  ['lost/se_0000000000000000-1.zip'],
  ['work/se_0000000000000000-1/x'],
])('no database is created beside %s alone', async name => {
  await mkdir(join(folder, name, '..'), { recursive: true })
  await writeFile(join(folder, name), 'x'.repeat(32))
  expect(() => openStore(folder)).toThrow(`it is missing, but the data folder holds ${name.split('/')[0]}`)
  expect(await readdir(folder)).not.toContain('quire.db')
})

test('a database is created beside files that are not from Quire', async () => {
  await mkdir(join(folder, 'bundles'), { recursive: true })
  await writeFile(join(folder, 'notes.txt'), 'of the operator')
  openStore(folder).close()
  expect(await readdir(folder)).toContain('quire.db')
})
