import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runProgram, startProgram } from '../support/program.ts'

const scripts = join(import.meta.dirname, '../../scripts')

/** Stands for npm: installs the packages of package-lock.json as files that say their version, and the list of them last. */
const npm = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
const args = process.argv.slice(2)
const parent = process.ppid
appendFileSync(process.env.CALLS, args.join(' ') + '\\n')
if (process.env.REFUSES && args.includes(process.env.REFUSES)) process.exit(1)
rmSync('node_modules', { recursive: true, force: true })
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const chosen = Object.entries(packages).filter(([path, { dev, os }]) => path && !os && !(dev && args.includes('--omit=dev')))
for (const [path, { version }] of chosen) {
  mkdirSync(path, { recursive: true })
  writeFileSync(path + '/version', version)
  // Until the process that called it was killed.
  if (process.env.HANGS) await new Promise(() => setInterval(() => process.ppid === parent || process.exit(1), 50))
}
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(chosen) }))
`

let root: string
const calls = () =>
  existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') : []
const versionOf = (name: string) => readFileSync(join(root, 'clone/node_modules', name, 'version'), 'utf8')
const has = (name: string) => existsSync(join(root, 'clone/node_modules', name))

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'quire-install-'))
  const clone = join(root, 'clone')
  mkdirSync(join(clone, 'scripts'), { recursive: true })
  cpSync(join(scripts, 'bootstrap.mjs'), join(clone, 'scripts/bootstrap.mjs'))
  cpSync(join(scripts, 'set-up'), join(clone, 'scripts/set-up'), { recursive: true })
  writeFileSync(join(clone, 'scripts/hello.mjs'), "console.log('hello', ...process.argv.slice(2))\n")
  writeFileSync(join(clone, 'package.json'), '{}')
  writeFileSync(join(clone, '.npmrc'), '')
  writeLock({ tool: '1.0.0' })
  writeFileSync(join(root, 'npm.mjs'), npm)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function writeLock({ tool }: { tool: string }): void {
  const packages = {
    '': { version: '1.0.0' },
    'node_modules/server': { version: '2.0.0' },
    'node_modules/tool': { version: tool, dev: true },
    'node_modules/elsewhere': { version: '3.0.0', optional: true, os: ['!any'] },
  }
  writeFileSync(join(root, 'clone/package-lock.json'), JSON.stringify({ packages }))
}

function bootstrap(args: readonly string[], env: Record<string, string> = {}) {
  const settings = {
    npm_execpath: join(root, 'npm.mjs'),
    npm_node_execpath: process.execPath,
    CALLS: join(root, 'calls'),
  }
  return [[join(root, 'clone/scripts/bootstrap.mjs'), ...args], { env: { ...settings, ...env } }] as const
}

const hello = ['--production', 'scripts/hello.mjs', 'you']

test('a production script installs the production packages, once', async () => {
  expect(await runProgram(...bootstrap(hello))).toMatchObject({ code: 0, stdout: 'hello you\n' })
  expect([has('server'), has('tool')]).toEqual([true, false])
  expect(await runProgram(...bootstrap(hello))).toMatchObject({ code: 0, stdout: 'hello you\n', stderr: '' })
  expect(calls()).toEqual([expect.stringMatching(/^ci .*--omit=dev/)])
})

test('another script installs the rest, and they stay for the production scripts', async () => {
  await runProgram(...bootstrap(hello))
  expect(await runProgram(...bootstrap(['scripts/hello.mjs']))).toMatchObject({ code: 0, stdout: 'hello\n' })
  expect([has('server'), has('tool')]).toEqual([true, true])
  await runProgram(...bootstrap(hello))
  expect(calls()).toEqual([expect.stringContaining('--omit=dev'), expect.stringContaining('--include=dev')])
})

test('a changed package is installed again by the scripts that need it', async () => {
  await runProgram(...bootstrap(['scripts/hello.mjs']))
  writeLock({ tool: '1.0.1' })
  await runProgram(...bootstrap(hello))
  expect(versionOf('tool')).toBe('1.0.0')
  await runProgram(...bootstrap(['scripts/hello.mjs']))
  expect(versionOf('tool')).toBe('1.0.1')
})

test('--help installs nothing: a clone without packages prints the text of help.json', async () => {
  writeFileSync(join(root, 'clone/scripts/set-up/help.json'), JSON.stringify({ 'scripts/hello.mjs': 'Usage: hello\n' }))
  for (const args of [['--help'], ['-h'], ['--loud', '--help']]) {
    const wanted = { code: 0, stdout: 'Usage: hello\n', stderr: '' }
    expect(await runProgram(...bootstrap(['--browser', 'scripts/hello.mjs', ...args]))).toEqual(wanted)
  }
  expect(calls()).toEqual([])
  // A subcommand has another help, and installed packages print the current one.
  expect(await runProgram(...bootstrap(['scripts/hello.mjs', 'you', '--help']))).toMatchObject({
    stdout: 'hello you --help\n',
  })
  expect(await runProgram(...bootstrap(['scripts/hello.mjs', '--help']))).toMatchObject({ stdout: 'hello --help\n' })
  expect(calls()).toHaveLength(1)
})

test('packages that somebody installed with npm ci are not installed again', async () => {
  const [args, { env }] = bootstrap([])
  mkdirSync(join(root, 'clone'), { recursive: true })
  const install = `process.chdir(${JSON.stringify(join(root, 'clone'))}); await import(${JSON.stringify(join(root, 'npm.mjs'))})`
  await runProgram(['--input-type=module', '-e', install], { env })
  expect(calls()).toHaveLength(1)
  expect(await runProgram([...args, ...hello], { env })).toMatchObject({ code: 0, stdout: 'hello you\n', stderr: '' })
  expect(calls()).toHaveLength(1)
})

test('a killed installation changes nothing, and the next one completes', async () => {
  await runProgram(...bootstrap(hello))
  const killed = startProgram(...bootstrap(['scripts/hello.mjs'], { HANGS: 'yes' }))
  await expect.poll(() => calls().length, { timeout: 60_000 }).toBe(2)
  await killed.end('SIGKILL')
  expect([has('server'), has('tool'), has('.package-lock.json')]).toEqual([true, false, true])
  expect(await runProgram(...bootstrap(['scripts/hello.mjs']))).toMatchObject({ code: 0, stdout: 'hello\n' })
  expect([has('server'), has('tool')]).toEqual([true, true])
  expect(readdirSync(join(root, 'clone')).filter(name => name.startsWith('.quire-'))).toEqual([])
})

test('what an older npm ci left half installed is installed again', async () => {
  mkdirSync(join(root, 'clone/node_modules/server'), { recursive: true })
  expect((await runProgram(...bootstrap(hello))).code).toBe(0)
  expect(versionOf('server')).toBe('2.0.0')
})

test('a cache of npm that is too old is refreshed', async () => {
  expect(await runProgram(...bootstrap(hello, { REFUSES: '--prefer-offline' }))).toMatchObject({ code: 0 })
  expect(calls()).toHaveLength(2)
})

test('a failed installation ends with the remedy and leaves nothing', async () => {
  const failed = await runProgram(...bootstrap(hello, { REFUSES: 'ci' }))
  expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Check the network') })
  expect(readdirSync(join(root, 'clone')).filter(name => name.startsWith('.quire-'))).toEqual([])
})
