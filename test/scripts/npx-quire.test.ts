import { execFile } from 'node:child_process'
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const { bin, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

let cache: string
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'quire-npx-'))
})
afterEach(() => rmSync(cache, { recursive: true, force: true }))

/** The Node of the system that npm runs on, and the packages of the checkout out of the way, as in a shell. */
const path = (process.env.PATH ?? '')
  .split(delimiter)
  .filter(folder => !folder.includes('node_modules'))
  .join(delimiter)

test('the program of package.json can be executed by any Node', () => {
  const file = join(root, bin.quire)
  expect(readFileSync(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  expect(() => accessSync(file, constants.X_OK)).not.toThrow()
  // Node 20 and 22 cannot run TypeScript.
  expect(bin.quire).toMatch(/\.m?js$/)
})

test('npx quire runs in an installed clone without a question and without the network', async () => {
  const env = { ...process.env, PATH: path, npm_config_cache: cache, npm_config_offline: 'true' }
  const { stdout } = await run('npx', ['quire', '--version'], { cwd: root, env })
  expect(stdout).toBe(`${version}\n`)
  const help = await run('npx', ['quire', 'orgs', '--help'], { cwd: join(root, 'server'), env })
  expect(help.stdout).toContain('npx quire orgs create')
})

test('the program runs on the Node of the system', async () => {
  const env = { ...process.env, PATH: path }
  const { stdout } = await run('node', [join(root, bin.quire), '--version'], { cwd: cache, env })
  expect(stdout).toBe(`${version}\n`)
})
