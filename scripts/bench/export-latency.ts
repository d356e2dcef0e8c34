import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { integer } from '../../server/flags/integer.ts'
import { jsonOption } from '../../server/flags/options.ts'
import { readArchive } from '../../test/export/read-archive.ts'
import { toTable } from './export/report.ts'
import { runTool } from './export/run-tool.ts'
import type { SiteCounts, SiteOrder } from './export-latency/slow-site.ts'
import { describeMachine } from './http/report.ts'

interface Flags {
  pages: number
  delayMs: number
  workMs: number
  rounds: number
  json?: boolean
}

interface Run extends SiteCounts {
  tool: string
  pages: number
  wallSeconds: number
}

/** The goal: wall time relative to that of wget2. */
const mostTimesWget = 1.3
const project = resolve(import.meta.dirname, '../..')
const quire = 'quire --verify static'
const peer = 'wget2 --max-threads=32'

export function exportLatencyCommand(): Command {
  const number = (flags: string, text: string, least: number, value: number) =>
    new Option(flags, text).argParser(integer(least, 100_000)).default(value)
  return new Command('export-latency')
    .description('copy a site whose answers take long, with quire and with wget2')
    .addOption(number('--pages <number>', 'pages of the site', 1, 500))
    .addOption(number('--delay-ms <number>', 'time before each answer', 0, 200))
    .addOption(number('--work-ms <number>', 'processor time of each answer; the site has one thread', 0, 0))
    .addOption(number('--rounds <number>', 'runs of each tool, in turns', 1, 3))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Exit code 1 if quire needs more than ${mostTimesWget} times the median wall time of wget2 with 32 threads (apt-get install wget2), or if
a page is missing.

Examples:
  npm run bench -- export-latency
  npm run bench -- export-latency --delay-ms 0 --work-ms 20 --pages 200`,
    )
    .action(run)
}

async function run({ pages, delayMs, workMs, rounds, json }: Flags): Promise<void> {
  const loadAverage = loadavg()[0] ?? 0
  const site = fork(join(import.meta.dirname, 'export-latency/slow-site.ts'), [pages, delayMs, workMs].map(String))
  const [port] = await once(site, 'message')
  const url = `http://127.0.0.1:${port}/`
  const runs: Run[] = []
  try {
    for (let round = 0; round < rounds; round += 1) {
      runs.push(await measure(site, quire, folder => copyWithQuire(url, folder)))
      runs.push(await measure(site, peer, folder => copyWithWget(url, folder)))
    }
  } finally {
    site.disconnect()
  }
  const machine = describeMachine(loadAverage)
  if (json) console.log(JSON.stringify({ machine, pages, delayMs, workMs, runs }, undefined, 2))
  else {
    console.log(
      `${pages} pages, ${delayMs} ms delay, ${workMs} ms of processor time; ${machine.cores} cores, Node ${machine.node}, load average ` +
        `${machine.loadAverageBefore.toFixed(1)} before and ${machine.loadAverageAfter.toFixed(1)} after.\n`,
    )
    console.log(toTable([['tool', 'wall s', 'pages', 'requests', 'most at once'], ...runs.map(toRow)]).join('\n'))
    console.log()
  }
  const missed = judgeLatency(runs, pages)
  if (missed.length > 0) throw new OperatorError(missed.join('\n'))
}

function toRow({ tool, wallSeconds, pages, requests, mostOpen }: Run): string[] {
  return [tool, wallSeconds.toFixed(1), ...[pages, requests, mostOpen].map(String)]
}

async function measure(site: ChildProcess, tool: string, copy: (folder: string) => Promise<number>): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-latency-'))
  const count = async () => {
    const counts = once(site, 'message')
    site.send('count' satisfies SiteOrder)
    return (await counts)[0] as SiteCounts
  }
  try {
    await count()
    const startedAt = performance.now()
    const finish = await copy(folder)
    const wallSeconds = (performance.now() - startedAt) / 1000
    return { tool, wallSeconds, pages: finish, ...(await count()) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the number of pages in the bundle. */
async function copyWithQuire(url: string, folder: string): Promise<number> {
  const file = join(folder, 'docs.zip')
  const args = [join(project, 'server/main.ts'), 'export', url, '-o', file, '--verify', 'static']
  await runTool(process.execPath, args, { folder, log: 'quire.log' })
  return readArchive(file).filter(({ name }) => name.endsWith('.html') && name !== 'export-report.html').length
}

async function copyWithWget(url: string, folder: string): Promise<number> {
  const args = ['--recursive', '--level=inf', '--page-requisites', '--max-threads=32', '--quiet', '-P', folder, url]
  await runTool('wget2', args, { folder, log: 'wget2.log' })
  const names = await readdir(folder, { recursive: true })
  return names.filter(name => name.endsWith('.html')).length
}

/** Returns a sentence for each missed goal. */
export function judgeLatency(runs: readonly Pick<Run, 'tool' | 'pages' | 'wallSeconds'>[], pages: number): string[] {
  const secondsOf = (tool: string) => {
    const seconds = runs.flatMap(run => (run.tool === tool ? [run.wallSeconds] : [])).sort((a, b) => a - b)
    return seconds[Math.floor(seconds.length / 2)] ?? 0
  }
  const [ours, theirs] = [secondsOf(quire), secondsOf(peer)]
  const incomplete = runs.filter(run => run.pages < pages)
  return [
    ...incomplete.map(run => `${run.tool} copied ${run.pages} of ${pages} pages.`),
    ...(ours > mostTimesWget * theirs
      ? [`quire took ${ours.toFixed(1)} s, more than ${mostTimesWget} times the ${theirs.toFixed(1)} s of wget2.`]
      : []),
  ]
}
