import { mkdtemp, rm, stat } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { thisMachine } from '../build-binary/targets.ts'
import { describeMachine, numberOption } from './report.ts'
import { measureStart, type Starter } from './start/measure-start.ts'
import { judge, type Report, type StartRuns, startText } from './start/report.ts'

const project = resolve(import.meta.dirname, '../..')

interface Flags {
  binary: string
  rounds: number
  idleSeconds: number
  json?: boolean
}

export function startCommand(): Command {
  return new Command('start')
    .description('compare the start and the memory of the single binary with those of the sources')
    .addOption(
      new Option('--binary <file>', 'made by npm run build:binary')
        .env('QUIRE_BENCH_BINARY')
        .default(`binary/quire-${thisMachine}`),
    )
    .addOption(numberOption('--rounds', 'starts of each, on fresh and on existing data', 15, [1, 1000]))
    .addOption(numberOption('--idle-seconds', 'pause before the memory is read', 5, [0, 600]))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The sources run with the compiled code that earlier starts kept. Exit code 1 if the binary misses a goal.

Examples:
  npm run build:binary && npm run bench -- start
  npm run bench -- start --rounds 5 --idle-seconds 1`,
    )
    .action(run)
}

async function run({ binary, rounds, idleSeconds, json }: Flags): Promise<void> {
  const file = resolve(binary)
  const stats = await stat(file).catch(() => null)
  if (!stats) throw new OperatorError(`There is no ${file}. Build it with: npm run build:binary`)
  const starters: Starter[] = [
    {
      name: 'sources',
      program: process.execPath,
      args: ['--disable-warning=DEP0169', join(project, 'server/main.ts')],
    },
    { name: 'binary', program: file, args: [] },
  ]
  const loadAverage = loadavg()[0] ?? 0
  const scratch = await mkdtemp(join(tmpdir(), 'quire-start-bench-'))
  const runs: StartRuns[] = starters.map(({ name }) => ({ name, fresh: [], existing: [] }))
  try {
    // The first start of each also writes its cache.
    for (const starter of starters) await measureStart(starter, join(scratch, `warm-${starter.name}`), 0)
    for (let round = 0; round < rounds; round++) {
      for (const [index, starter] of starters.entries()) {
        const data = join(scratch, `${starter.name}-${round}`)
        runs[index]?.fresh.push(await measureStart(starter, data, 0))
        runs[index]?.existing.push(await measureStart(starter, data, idleSeconds * 1000))
      }
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  const machine = describeMachine(loadAverage)
  const report: Report = { machine, rounds, binaryBytes: stats.size, runs }
  console.log(json ? JSON.stringify(report, undefined, 2) : startText(report))
  if (judge(report).some(({ isMet }) => !isMet)) process.exitCode = 1
}
