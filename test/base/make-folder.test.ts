import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from '../../server/base/make-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-make-folder-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('makes missing folders and keeps existing ones', () => {
  makeFolder(join(folder, 'a/b/c'), 0o700)
  makeFolder(join(folder, 'a/b/c'), 0o700)
  makeFolder(join(folder, 'a/b/d/'))
  expect(existsSync(join(folder, 'a/b/d'))).toBe(true)
  expect(statSync(join(folder, 'a/b/c')).mode & 0o777).toBe(0o700)
})

test('fails if a file has the name of the folder', () => {
  writeFileSync(join(folder, 'file'), '')
  expect(() => makeFolder(join(folder, 'file'))).toThrow(expect.objectContaining({ code: 'EEXIST' }))
  expect(() => makeFolder(join(folder, 'file/below'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }))
})

// In a separate process, because an endless loop could not be stopped from within.
test.runIf(process.platform === 'linux')('gives up if the system reports an existing folder as missing', () => {
  const file = join(import.meta.dirname, '../../server/base/make-folder.ts')
  const code = `import { makeFolder } from ${JSON.stringify(file)}
    try { makeFolder('/proc/nope/below') } catch (error) { console.log(error.code) }`
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { timeout: 20_000 })
  expect([stdout.toString(), signal]).toEqual(['ENOENT\n', null])
})
