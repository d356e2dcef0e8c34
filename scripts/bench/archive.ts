import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { integer } from '../../server/flags/integer.ts'
import { jsonOption } from '../../server/flags/options.ts'
import { writeSmallFiles } from './archive/corpora.ts'
import { archiveText, type Report } from './archive/report.ts'
import { type CorpusResult, runCorpus } from './archive/run.ts'
import { pythonSite } from './export/site-python.ts'
import { describeMachine } from './http/report.ts'

interface Flags {
  rounds: number
  json?: boolean
}

export function archiveCommand(): Command {
  return new Command('archive')
    .description('compare the ZIP writer of Quire with archiver, on a real site and on many small files')
    .addOption(
      new Option('--rounds <number>', 'runs of each writer')
        .env('QUIRE_BENCH_ROUNDS')
        .default(10)
        .argParser(integer(1, 1000)),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Packs the Python docs, and 739 small files cut from their sources. Each run of a writer is a new process. Exit code 1 if two
writers give different bytes. A run takes about five minutes.

Examples:
  npm run bench -- archive
  npm run bench -- archive --rounds 20 --json > figures.json`,
    )
    .action(run)
}

async function run({ rounds, json }: Flags): Promise<void> {
  const { folder } = await pythonSite.prepare(tmpdir())
  const loadAverage = loadavg()[0] ?? 0
  const scratch = await mkdtemp(join(tmpdir(), 'quire-archive-bench-'))
  const corpora: CorpusResult[] = []
  try {
    const small = join(scratch, 'small')
    await writeSmallFiles(folder, small)
    const outFile = join(scratch, 'out.zip')
    for (const corpus of [
      { name: pythonSite.description, folder },
      { name: 'small files', folder: small },
    ]) {
      process.stderr.write(`Packing ${corpus.name} ...\n`)
      corpora.push(await runCorpus(corpus, rounds, outFile))
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  const report: Report = { at: new Date().toISOString(), machine: describeMachine(loadAverage), rounds, corpora }
  console.log(json ? JSON.stringify(report, undefined, 2) : archiveText(report))
}
