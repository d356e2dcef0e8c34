import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publish } from '../../../server/store/backup/backup-target.ts'

let folder: string
let made: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-publish-test-'))
  made = join(folder, 'work', 'made')
  mkdirSync(made, { recursive: true })
  writeFileSync(join(made, 'new'), '')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const publishFolder = (overwrite = false) => publish(made, { path: join(folder, 'b'), kind: 'folder', overwrite })

test('a folder that appears in the meantime is not replaced, unless it is empty', async () => {
  mkdirSync(join(folder, 'b'))
  writeFileSync(join(folder, 'b/old'), '')
  await expect(publishFolder()).rejects.toThrow('already exists. Choose another name, or replace it with --overwrite.')
  expect(readdirSync(join(folder, 'b'))).toEqual(['old'])
  rmSync(join(folder, 'b/old'))
  await publishFolder()
  expect(readdirSync(join(folder, 'b'))).toEqual(['new'])
})

test('a file that appears in the meantime is not replaced by a folder', async () => {
  writeFileSync(join(folder, 'b'), '')
  await expect(publishFolder()).rejects.toThrow('already exists')
})

test.each([true, false])('with --overwrite, a folder is replaced, and nothing of it stays: %s', async exists => {
  if (exists) mkdirSync(join(folder, 'b/old'), { recursive: true })
  await publishFolder(true)
  expect(readdirSync(join(folder, 'b'))).toEqual(['new'])
  expect(readdirSync(join(folder, 'work'))).toEqual([])
})

test('what cannot be replaced stays, and the error is that of the disk', async () => {
  mkdirSync(join(folder, 'b/old'), { recursive: true })
  rmSync(made, { recursive: true })
  await expect(publishFolder(true)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(existsSync(join(folder, 'b/old'))).toBe(true)
})

test('a file is replaced only with --overwrite', async () => {
  const path = join(folder, 'b.tar')
  writeFileSync(path, 'old')
  const file = join(folder, 'made.tar')
  writeFileSync(file, 'new')
  await expect(publish(file, { path, kind: 'tar', overwrite: false })).rejects.toThrow('already exists')
  await publish(file, { path, kind: 'tar', overwrite: true })
  expect(readdirSync(folder).sort()).toEqual(['b.tar', 'work'])
})
