// Runs every check of the project, or with --long the fault, hostile and soak runs, and ends with the counts.
//
//   npm test [-- --long] [-- --only STEP]
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

interface Step {
  name: string
  command: string[]
  /** Reads how many checks passed and failed; a step without it is one check. */
  count?: () => { passed: number; failed: number; skipped: number }
}

const scratch = mkdtempSync(join(tmpdir(), 'quire-checks-'))
const node = ['node', '--disable-warning=DEP0169']

const usual: Step[] = [
  { name: 'generated files are fresh', command: [...node, 'scripts/generate.ts', '--check'] },
  { name: 'lint of the spec', command: ['redocly', 'lint', 'spec/openapi.yaml', '--config', 'spec/rules.yaml'] },
  { name: 'lint and format of the code', command: ['biome', 'ci', '--error-on-warnings', '.'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  vitest('unit, whole-app and browser tests', []),
  {
    name: 'contract (Dredd)',
    command: [...node, 'test/contract/dredd.ts', '--json', join(scratch, 'dredd.json')],
    count: () => JSON.parse(readFileSync(join(scratch, 'dredd.json'), 'utf8')),
  },
]
const long: Step[] = [vitest('fault, hostile and soak runs', ['--mode', 'long'])]

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const steps = (values.long ? long : usual).filter(({ name }) => values.only === undefined || name.includes(values.only))
if (values.help || steps.length === 0) {
  console.log(
    `Usage: npm test [-- --long] [-- --only STEP]\nSteps: ${[...usual, ...long].map(({ name }) => name).join(' | ')}`,
  )
  process.exit(values.help ? 0 : 2)
}

await installTestSite()
const total = { passed: 0, failed: 0, skipped: 0 }
for (const step of steps) {
  console.log(`\n== ${step.name}`)
  const startedAt = performance.now()
  const code = await run(step.command)
  const counted = countChecks(step, code)
  total.passed += counted.passed
  total.failed += counted.failed
  total.skipped += counted.skipped
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`== ${step.name}: ${counted.failed === 0 ? 'ok' : 'FAILED'}, ${seconds} s`)
}
rmSync(scratch, { recursive: true, force: true })
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`)
process.exit(total.failed > 0 ? 1 : 0)

function vitest(name: string, flags: string[]): Step {
  const file = join(scratch, 'vitest.json')
  return {
    name,
    command: [
      'vitest',
      'run',
      '--config',
      'test/vitest.config.ts',
      ...flags,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
    ],
    count: () => {
      const report = JSON.parse(readFileSync(file, 'utf8'))
      return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests }
    },
  }
}

/** A step that failed fails at least one check, whatever its report says; one that checked nothing has failed. */
function countChecks(step: Step, code: number): { passed: number; failed: number; skipped: number } {
  if (!step.count) return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
  try {
    const { passed, failed, skipped } = step.count()
    const sound = code === 0 && passed > 0
    return { passed, failed: sound ? failed : Math.max(failed, 1), skipped }
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}

function run([command = '', ...args]: string[]): Promise<number> {
  return new Promise(done => {
    spawn(command, args, { stdio: 'inherit' })
      .on('error', error => {
        console.error(error.message)
        done(1)
      })
      .on('exit', code => done(code ?? 1))
  })
}

/** The python documentation, 530 pages that nobody here wrote, is the site of the end-to-end tests. */
async function installTestSite(): Promise<void> {
  if (existsSync('/usr/share/doc/python3.11/html')) return
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  console.log('Installing the python documentation (apt-get install python3.11-doc) ...')
  await run(['apt-get', 'update', '-qq'])
  await run(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'python3.11-doc'])
}
