import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import type { Verify } from '../../server/export/model/options.ts'
import { integer } from '../../server/flags/integer.ts'
import { jsonOption, verifyOption } from '../../server/flags/options.ts'
import { pythonSite } from './export/site-python.ts'
import { measureSize, type SizeResult } from './export-scale/measure-size.ts'
import { judgeScale, scaleText } from './export-scale/report.ts'
import { describeMachine } from './http/report.ts'

interface Flags {
  size: number[]
  verify: Verify
  json?: boolean
}

const defaultSizes = [500, 2000, 5000]

export function exportScaleCommand(): Command {
  const readSize = integer(1, 100_000)
  return new Command('export-scale')
    .description('export one real site in several sizes, and measure memory and time per page')
    .addOption(
      new Option('--size <pages>', `number of pages; may be repeated (default: ${defaultSizes.join(', ')})`)
        .env('QUIRE_BENCH_SIZE')
        .argParser((text: string, before: number[] | undefined) => [...(before ?? []), readSize(text)]),
    )
    .addOption(verifyOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Serves copies of the Python docs under /1/, /2/ ... and exports the number of pages that --size gives. Exit code 1 if the process
uses more than 500 MB, or if the time per page of the largest site is more than 20 % above that of the smallest.

Examples:
  npm run bench -- export-scale
  npm run bench -- export-scale --size 500 --size 5000 --verify static`,
    )
    .action(run)
}

async function run({ size: sizes = defaultSizes, verify, json }: Flags): Promise<void> {
  const { folder, pages } = await pythonSite.prepare(tmpdir())
  const loadAverage = loadavg()[0] ?? 0
  const scratch = await mkdtemp(join(tmpdir(), 'quire-scale-'))
  const results: SizeResult[] = []
  try {
    for (const pageCount of sizes) {
      process.stderr.write(`Exporting ${pageCount} pages ...\n`)
      results.push(await measureSize({ folder: resolve(folder), pages, pageCount, verify, scratch }))
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  const machine = describeMachine(loadAverage)
  console.log(json ? JSON.stringify({ machine, verify, results }, undefined, 2) : scaleText(results, verify, machine))
  const missed = judgeScale(results)
  if (missed.length > 0) throw new OperatorError(missed.join('\n'))
}
