import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openScratchFolder } from '../../server/store/scratch-folder.ts'

const parent = mkdtempSync(join(tmpdir(), 'quire-scratch-'))
afterEach(() => {
  for (const name of readdirSync(parent)) rmSync(join(parent, name), { recursive: true })
})

test('the folder of a process that was killed before it made its lock is removed', async () => {
  mkdirSync(join(parent, 'quire-export-Ab12Cd'))
  const scratch = await openScratchFolder(parent)
  expect(existsSync(join(parent, 'quire-export-Ab12Cd'))).toBe(false)
  await scratch.close()
  expect(readdirSync(parent)).toEqual([])
})

test('a folder in use, a folder with other files, and folders with other names stay', async () => {
  const first = await openScratchFolder(parent)
  mkdirSync(join(parent, 'quire-export-Ab12Cd', 'photos'), { recursive: true })
  writeFileSync(join(parent, 'quire-export-Ab12Cd', 'owner.lock'), '')
  mkdirSync(join(parent, 'quire-export-mine'))
  const second = await openScratchFolder(parent)
  await second.close()
  const names = [first.path.split('/').at(-2), 'quire-export-Ab12Cd', 'quire-export-mine']
  expect(readdirSync(parent).sort()).toEqual(names.sort())
  await first.close()
})

test('of many folders opened at once, each is there until it is closed', async () => {
  const opened = await Promise.all(Array.from({ length: 20 }, () => openScratchFolder(parent)))
  for (const { path } of opened) mkdirSync(path)
  expect(new Set(opened.map(({ path }) => path)).size).toBe(20)
  for (const scratch of opened) await scratch.close()
  expect(readdirSync(parent)).toEqual([])
})
