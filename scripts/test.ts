// A long file: the steps of all runs of the tests, how they run, and what they print.
// Runs all checks of the project, or the ones that the flags choose, and prints how many passed. `npm test -- --help` lists
// the checks.
//
//   npm test [-- --only STEP]
//   npm run check
//   npm run test:unit [-- FILE ...]
//   npm run test:changed [-- --since REF]
//   npm run test:all [-- --added]
//   npm run test:long [-- --minutes NUMBER]
//   any of these [-- --again]
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { openPassedSteps } from './passed-steps.ts'

interface Step {
  name: string
  command: string[]
  /** Counts the passed, failed and skipped checks. A step without it is one check. */
  count?: () => Counted
  /** Lists the test files that failed. */
  listFailed?: () => string[]
  /** Whether the step may run no checks, because nothing changed. */
  mayBeEmpty?: boolean
  /** Whether the step needs about one core, so that it runs beside another one. Its output is printed when it ends. */
  isSmall?: boolean
}

interface Counted {
  passed: number
  failed: number
  skipped: number
}

/** More failed files than these are no accident of timing, and `--again` does not run them again. */
const maxAgain = 3

const scratch = mkdtempSync(join(tmpdir(), 'quire-checks-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
const node = ['node', '--disable-warning=DEP0169']

/** What `npm run check` runs. */
const quick: Step[] = [
  small('lint and format of the code', ['biome', 'ci', '--error-on-warnings', '.']),
  types('types of the tests', 'test'),
  types('types of the server', '.'),
  types('types of in-page code', 'server/in-page'),
]

const usual: Step[] = [
  small('generated files are fresh', [...node, 'scripts/generate.ts', '--check']),
  small('lint of the spec', [
    'redocly',
    'lint',
    'spec/openapi.yaml',
    'spec/extensions/openapi.yaml',
    '--config',
    'spec/rules.yaml',
  ]),
  small('breaking changes of the spec', [...node, 'scripts/spec-diff.ts']),
  small('breaking changes of the extensions', [...node, 'scripts/spec-diff.ts', '--extensions']),
  small('regular expressions', [...node, 'scripts/check-expressions.ts']),
  ...quick,
  vitest('unit, whole-app and browser tests', []),
  dredd('contract (Dredd)', []),
]

/** What `npm run test:all` adds. Without a PostgreSQL, Dredd runs nothing. */
const added: Step[] = [
  vitest('slow tests, and those on PostgreSQL, S3, nginx and Caddy', ['--mode', 'added']),
  { ...dredd('contract (Dredd) on PostgreSQL', ['--postgres']), mayBeEmpty: true },
]
const all = [...usual, ...added]

const documentation = { 'python3.11-doc': '/usr/share/doc/python3.11/html' }
const containers = {
  buildah: '/usr/bin/buildah',
  podman: '/usr/bin/podman',
  runc: '/usr/sbin/runc',
  mmdebstrap: '/usr/bin/mmdebstrap',
}
const services = {
  bubblewrap: '/usr/bin/bwrap',
  caddy: '/usr/bin/caddy',
  nginx: '/usr/sbin/nginx',
  openssl: '/usr/bin/openssl',
  postgresql: '/usr/lib/postgresql',
  memcached: '/usr/bin/memcached',
  'swift-account': '/usr/bin/swift-account-server',
  'swift-container': '/usr/bin/swift-container-server',
  'swift-object': '/usr/bin/swift-object-server',
  'swift-proxy': '/usr/bin/swift-proxy-server',
}

const { values, positionals } = readFlags()
const chosen = chooseSteps()
const steps = chosen.filter(({ name }) => values.only === undefined || name.includes(values.only))
if (values.help || steps.length === 0) {
  console.log(help())
  process.exit(values.help ? 0 : 2)
}

if (process.getuid?.() === 0) {
  console.log('The tests run as root, so Chromium runs without its sandbox (QUIRE_ALLOW_NO_SANDBOX=1).')
  process.env.QUIRE_ALLOW_NO_SANDBOX ??= '1'
}

// Each step starts programs, and some start hundreds. They need not compile the same code again. test/vitest.config.ts says the same.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled')

if (values.minutes !== undefined) {
  const minutes = Number(values.minutes)
  if (!values.long || !(minutes > 0))
    refuse('--minutes takes a number greater than 0, and only --long takes --minutes.')
  process.env.QUIRE_TEST_UNTIL = new Date(Date.now() + minutes * 60_000).toISOString()
}

if (values.long) {
  await installTestPackages({ ...documentation, ...services })
  // Apart from the others, because a system that does not have these can still have those.
  await installTestPackages(containers)
} else if (values.all) await installTestPackages(services)
// In all other runs, and on a build machine, each step runs.
const passedSteps = values.check && !process.env.CI ? openPassedSteps(join(import.meta.dirname, '..')) : undefined
const total = { passed: 0, failed: 0, skipped: 0 }
const waiting = steps.filter(({ isSmall }) => isSmall)
const take = async () => {
  for (let step = waiting.shift(); step; step = waiting.shift()) await runStep(step)
}
await Promise.all([take(), take()])
for (const step of steps.filter(({ isSmall }) => !isSmall)) await runStep(step)
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`)
process.exit(total.failed > 0 ? 1 : 0)

async function runStep(step: Step): Promise<void> {
  if (passedSteps?.has(step.name)) {
    total.passed += 1
    return console.log(`== ${step.name}: ok, because nothing changed since it passed`)
  }
  if (!step.isSmall) console.log(`\n== ${step.name}`)
  const startedAt = performance.now()
  const { code, output } = await run(step.command, step.isSmall)
  if (step.isSmall) process.stdout.write(`\n== ${step.name}\n${output}`)
  const first = countChecks(step, code)
  const counted = values.again && first.failed > 0 ? await runAgain(step, first) : first
  total.passed += counted.passed
  total.failed += counted.failed
  total.skipped += counted.skipped
  passedSteps?.note(step.name, counted.failed === 0)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`== ${step.name}: ${counted.failed === 0 ? 'ok' : 'FAILED'}, ${seconds} s`)
}

/**
 * Runs the test files that failed once more, one at a time, as a busy machine may be too slow for a browser or a program. Names
 * those that pass then, because each may also show a race of the product. Returns the counts of both runs together.
 */
async function runAgain(step: Step, first: Counted): Promise<Counted> {
  const files = step.listFailed?.() ?? []
  if (files.length === 0 || files.length > maxAgain) return first
  console.log(`\n== ${step.name}, again: ${files.join(' ')}`)
  delete process.env.QUIRE_TEST_UNTIL
  const command = step.command.filter(part => !positionals.includes(part))
  const { code } = await run([...command, '--no-file-parallelism', ...files])
  if (countChecks(step, code).failed > 0) return first
  for (const file of files) console.log(`== UNSTABLE: ${file} failed beside other tests and passed alone`)
  return { ...first, passed: first.passed + first.failed, failed: 0 }
}

function readFlags() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        long: { type: 'boolean', default: false },
        all: { type: 'boolean', default: false },
        added: { type: 'boolean', default: false },
        unit: { type: 'boolean', default: false },
        changed: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        since: { type: 'string' },
        only: { type: 'string' },
        minutes: { type: 'string' },
        again: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

function refuse(problem: string): never {
  console.error(problem)
  process.exit(2)
}

function chooseSteps(): Step[] {
  if (values.long) return [vitest('fault, hostile and soak runs', ['--mode', 'long', ...positionals])]
  if (values.unit) return [vitest('unit tests', ['--project', 'unit', ...positionals])]
  if (values.all) return values.added ? added : all
  if (values.check) return quick
  if (!values.changed) return usual
  const since = values.since ?? findBase()
  return [{ ...vitest(`tests of changes since ${since}`, ['--changed', since, ...positionals]), mayBeEmpty: true }]
}

/** Returns main, so that all commits of a branch count as changes. Returns HEAD if there is no main. */
function findBase(): string {
  const { status } = spawnSync('git', ['rev-parse', '--verify', '--quiet', 'main'])
  return status === 0 ? 'main' : 'HEAD'
}

function help(): string {
  return `Usage:
  npm test                  all steps below
  npm test -- --only STEP   the steps whose name contains STEP
  npm run check             lint, format, layers and types; a step that passed for the same files does not run again
  npm run test:unit         the tests of the project unit; use -- FILE ... to run only tests whose path contains FILE
  npm run test:changed      the tests that import files changed since main, committed or not; use -- --since REF for
                            another base; runs all tests if package.json or the configuration of the tests changed
  npm run test:all          also the slow tests, and those on PostgreSQL, S3, nginx and Caddy; use -- --added to run only these
  npm run test:long         slow browser, fault, hostile and soak runs, an hour or more; with -- --minutes NUMBER, files
                            that would begin later are skipped
  With -- --again, up to ${maxAgain} test files that failed run once more, one at a time. Those that pass then do not fail the run;
  they are named as UNSTABLE.

Steps: ${all.map(({ name }) => name).join(' | ')}

Projects of the tests (test/projects.ts assigns each file to a project by its imports):
  unit      no browser, no program, no whole server
  app       whole servers, programs, whole exports
  browser   needs Chromium; otherwise most of these tests are skipped
  slow      *.slow.test.ts, run only by npm run test:all: files of these kinds that take longer than 7 s
  services  need a PostgreSQL, an S3 storage, an nginx or a Caddy; otherwise they are skipped
  postgres  the tests of the store and of requests to whole servers again, on PostgreSQL; otherwise they are skipped
  long      *.long.test.ts, run only by npm run test:long
  alone     *.alone.test.ts, run only by npm run test:long, after the others and one at a time

One file or one project: npx vitest run --config test/vitest.config.ts [FILE] [--project NAME]
QUIRE_TEST_SEED=NUMBER sets the seed of the random input. With QUIRE_TEST_SEED=random, each run uses a new seed. The seed
is printed.`
}

function small(name: string, command: string[]): Step {
  return { name, command, isSmall: true }
}

/** What the compiler learned is kept, so that it reads only changed files and those that they reach again. */
function types(name: string, project: string): Step {
  const file = `node_modules/.cache/types/${project === '.' ? 'server' : project.replaceAll('/', '-')}.tsbuildinfo`
  return small(name, ['tsc', '-p', project, '--incremental', '--tsBuildInfoFile', file])
}

function vitest(name: string, flags: string[]): Step {
  const report = join(scratch, 'vitest.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  return {
    name,
    command: ['vitest', 'run', '--config', 'test/vitest.config.ts', '--passWithNoTests', ...flags, ...reporters],
    count: () => {
      const { numPassedTests, numFailedTests, numPendingTests, testResults } = readReport(report)
      printSlowest(testResults)
      return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests }
    },
    listFailed: () => {
      const failed = readReport(report).testResults.filter(({ status }) => status === 'failed')
      return failed.map(({ name }) => relative(process.cwd(), name))
    },
  }
}

function dredd(name: string, flags: string[]): Step {
  const report = join(scratch, 'dredd.json')
  return {
    name,
    command: [...node, 'test/contract/dredd.ts', ...flags, '--json', report],
    count: () => JSON.parse(readFileSync(report, 'utf8')),
  }
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  /** Times in milliseconds. */
  testResults: { name: string; status: string; startTime: number; endTime: number }[]
}

function readReport(file: string): VitestReport {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function printSlowest(files: VitestReport['testResults']): void {
  const slowest = files
    .map(({ name, startTime, endTime }) => ({
      name: relative(process.cwd(), name),
      seconds: (endTime - startTime) / 1000,
    }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, 10)
  if (slowest.length === 0) return
  console.log('\nThe slowest test files:')
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`)
}

/** Counts at least one failure for a step that failed or ran no checks, whatever its report says. */
function countChecks(step: Step, code: number): Counted {
  if (!step.count) return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
  try {
    const { passed, failed, skipped } = step.count()
    const sound = code === 0 && (passed > 0 || step.mayBeEmpty === true)
    return { passed, failed: sound ? failed : Math.max(failed, 1), skipped }
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}

/** Runs a program. Its output is collected, or else goes to the terminal. */
function run([command = '', ...args]: string[], isCollected = false): Promise<{ code: number; output: string }> {
  return new Promise(done => {
    const parts: Buffer[] = []
    const child = spawn(command, args, { stdio: isCollected ? ['ignore', 'pipe', 'pipe'] : 'inherit' })
    child.stdout?.on('data', part => parts.push(part))
    child.stderr?.on('data', part => parts.push(part))
    child
      .on('error', error => {
        console.error(error.message)
        done({ code: 1, output: '' })
      })
      .on('close', code => done({ code: code ?? 1, output: Buffer.concat(parts).toString() }))
  })
}

/**
 * Installs Debian packages that some tests need, by the path of a file in each. The long runs export the 530 pages of the Python
 * documentation. Some tests put nginx or Caddy in front of a server, those of the store also run on PostgreSQL, and bundles are also stored in
 * the S3-compatible storage of OpenStack Swift.
 */
async function installTestPackages(packages: Record<string, string>): Promise<void> {
  const missing = Object.entries(packages).flatMap(([name, path]) => (existsSync(path) ? [] : [name]))
  if (missing.length === 0) return
  const command = `apt-get install ${missing.join(' ')}`
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.log(`Some tests are skipped, because they need Debian packages that are not installed (${command}).`)
    return
  }
  console.log(`Installing Debian packages for the tests (${command}, 320 MB at most) ...`)
  await run(['apt-get', 'update', '-qq'])
  const { code } = await run(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing])
  if (code !== 0) console.log('They could not be installed: the tests that need them are skipped.')
}
