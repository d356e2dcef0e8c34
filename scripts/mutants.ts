// Puts small faults into random lines of server/, one at a time, and runs the unit and app tests that reach the file.
//
//   npm run mutants [-- --count 200] [--seed 1] [--only server/http] [--json]
//
// StrykerJS takes no sample: it runs every test on every fault.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { listTests } from '../test/projects.ts'
import { findMutations, type Mutation, mutate } from './mutants/find-mutations.ts'
import { harmless } from './mutants/harmless.ts'

const root = join(import.meta.dirname, '..')
/** Where faults are put: all of these, and the parts of the export that need no browser. */
const folders = ['operations', 'http', 'store', 'tenancy', 'analytics', 'host'].map(name => `server/${name}`)
const pureParts = ['bundle', 'crawl', 'model', 'rewrite', 'search', 'pages'].map(name => `server/export/${name}`)
/** Their tests need a PostgreSQL or an S3 storage. */
const onServices = /^server\/store\/(?:postgres|s3|transfer)\//
/** A fault may make a program wait for ever. Then it is noticed, but on a busy machine the tests may only be slow. */
const timeoutMs = 180_000

interface Result extends Mutation {
  /** How it ended; 'harmless' = it is listed in harmless.ts with a reason. */
  state: 'noticed' | 'survived' | 'harmless'
  /** The tests did not fail, they reached the time limit. */
  isTimeout: boolean
  seconds: number
}

const values = readFlags()
if (values.help) {
  console.log(`Usage: npm run mutants [-- --count 200] [--seed 1] [--only PATH] [--json]

Puts small faults into random lines of server/, one at a time: a comparison turned, || for &&, a negation lost. For each, runs the unit and
app tests that import the file, then those of its folder, and for the export those of whole exports. Prints the faults that no test noticed.

Flags:
  --count <number>  how many faults (default: 200)
  --seed <number>   which ones (default: 1)
  --only <path>     only in files whose path begins with this
  --json            print the results as JSON

Exit codes: 0 at least 85% of the faults are noticed, 1 fewer, 2 wrong usage`)
  process.exit(0)
}

const tests = listTests()
const usable = new Set([...tests.unit, ...tests.app])
const chosen = choose(Number(values.count), Number(values.seed))
const results: Result[] = []
const waiting = [...chosen]
const copies = new Set<string>()
/** The process groups of the tests that run. */
const groups = new Set<number>()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
process.on('exit', () => {
  for (const group of groups) end(group)
  for (const copy of copies) rmSync(copy, { recursive: true, force: true, maxRetries: 3 })
})
await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, work))
report()

function readFlags() {
  const text = (byDefault: string) => ({ type: 'string', default: byDefault }) as const
  const boolean = { type: 'boolean', default: false } as const
  try {
    const options = { count: text('200'), seed: text('1'), only: text('server/'), json: boolean, help: boolean }
    const { values } = parseArgs({ options })
    for (const name of ['count', 'seed'] as const)
      if (!/^[1-9]\d{0,8}$/.test(values[name])) throw new Error(`--${name} must be a whole number from 1.`)
    return values
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}

/** Chooses faults by a seed, so that a run can be repeated. */
function choose(count: number, seed: number): Mutation[] {
  const files = [...folders, ...pureParts]
    .flatMap(folder => globSync(`${folder}/**/*.ts`, { cwd: root, exclude: name => name.endsWith('.d.ts') }))
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => file.startsWith(values.only) && !onServices.test(file))
  const all = files.sort().flatMap(file => findMutations(file, readFileSync(join(root, file), 'utf8')))
  if (all.length === 0) {
    console.error(
      `--only ${values.only}: no fault can be put there. Name a folder or a file below ${folders.join(', ')} or server/export.`,
    )
    process.exit(2)
  }
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    ;[all[at], all[other]] = [all[other] as Mutation, all[at] as Mutation]
  }
  return all.slice(0, count)
}

/** Takes one fault after the other, in a copy of the project. */
async function work(): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'quire-mutants-'))
  copies.add(copy)
  const kept = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root })
  for (const file of kept.toString().split('\0'))
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const startedAt = performance.now()
    const judged = await judge(copy, next)
    const seconds = (performance.now() - startedAt) / 1000
    results.push({ ...next, ...judged, seconds })
    const state = judged.isTimeout ? 'noticed by the time limit' : judged.state
    const place = `${next.file}:${next.line} ${next.from} -> ${next.to || '(nothing)'}`
    console.error(`${results.length}/${chosen.length} ${state} ${place}, ${seconds.toFixed(0)} s`)
  }
}

async function judge(copy: string, mutation: Mutation): Promise<Pick<Result, 'state' | 'isTimeout'>> {
  const { file, from, to } = mutation
  const text = readFileSync(join(root, file), 'utf8')
  const line = text.split('\n')[mutation.line - 1]?.trim() ?? ''
  if (harmless.some(each => each.file === file && each.line === line && each.from === from && each.to === to))
    return { state: 'harmless', isTimeout: false }
  writeFileSync(join(copy, file), mutate(text, mutation))
  try {
    const tested = new Set<string>()
    for (const tests of [listNear(file), listFolder(file), listWholeExports(file)]) {
      const next = tests.filter(test => !tested.has(test))
      if (next.length === 0) continue
      const end = await runTests(copy, next)
      if (end !== 'passed') return { state: 'noticed', isTimeout: end === 'timeout' }
      for (const test of next) tested.add(test)
    }
    return { state: 'survived', isTimeout: false }
  } finally {
    writeFileSync(join(copy, file), text)
  }
}

/** Lists the tests that import a file themselves. */
function listNear(file: string): string[] {
  const name = file.slice('server/'.length)
  return [...usable].filter(test => readFileSync(join(root, test), 'utf8').includes(`server/${name}'`))
}

/** Lists the tests of the room of a file, and those of whole servers. */
function listFolder(file: string): string[] {
  const [, room = '', folder = ''] = file.split('/')
  const rooms = room === 'export' ? [`test/export/${folder}/`] : [`test/${room}/`]
  if (['operations', 'http', 'store', 'tenancy'].includes(room)) rooms.push('test/http/', 'test/operations/')
  if (room === 'tenancy' || room === 'store') rooms.push('test/dashboard/', 'test/store/')
  if (room === 'analytics') rooms.push('test/workers/')
  if (room === 'export') rooms.push(dirname(file).replace('server/', 'test/'), 'test/hostile/')
  return [...usable].filter(test => rooms.some(start => test.startsWith(start)))
}

/** Lists the tests that export a whole site, for a file of the export. */
function listWholeExports(file: string): string[] {
  return file.startsWith('server/export/') ? [...usable].filter(test => dirname(test) === 'test/export') : []
}

function runTests(copy: string, files: readonly string[]): Promise<'passed' | 'failed' | 'timeout'> {
  const config = ['--config', 'test/vitest.config.ts', '--project', 'unit', '--project', 'app']
  const args = ['run', ...config, '--bail', '1', '--maxWorkers', '1', '--reporter', 'dot', ...files]
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
  })
  const { pid = 0 } = child
  if (pid > 0) groups.add(pid)
  let isTimeout = false
  const timer = setTimeout(() => {
    isTimeout = true
    end(pid)
  }, timeoutMs)
  return new Promise(done =>
    child.on('close', code => {
      clearTimeout(timer)
      groups.delete(pid)
      done(isTimeout ? 'timeout' : code === 0 ? 'passed' : 'failed')
    }),
  )
}

function end(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function report(): void {
  const count = (state: Result['state']) => results.filter(each => each.state === state).length
  const [noticed, survived] = [count('noticed'), count('survived')]
  const timeouts = results.filter(({ isTimeout }) => isTimeout).length
  const share = noticed / Math.max(1, noticed + survived)
  if (values.json)
    console.log(JSON.stringify({ noticed, survived, timeouts, harmless: count('harmless'), share, results }, null, 2))
  else {
    for (const { file, line, from, to, state } of results)
      if (state === 'survived') console.log(`${file}:${line}  ${from} -> ${to || '(nothing)'}`)
    console.log(
      `${noticed} noticed (${timeouts} by the time limit), ${survived} survived, ${count('harmless')} harmless: ${(100 * share).toFixed(0)}%`,
    )
  }
  process.exitCode = share >= 0.85 ? 0 : 1
}
