import { loadavg } from 'node:os'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { integer } from '../../server/flags/integer.ts'
import { jsonOption } from '../../server/flags/options.ts'
import { toTable } from './export/report.ts'
import { type HostFigures, type HostPlan, type HostRun, runHosts } from './host/run.ts'
import { describeMachine } from './http/report.ts'

interface Flags extends HostPlan {
  json?: boolean
}

/** The goal: requests per second relative to those of nginx. */
const leastShare = 0.5

export function hostCommand(): Command {
  const number = (flags: string, text: string, value: number) =>
    new Option(flags, text).default(value).argParser(integer(1, 10_000))
  return new Command('host')
    .description('serve the bundle of the Python docs with quire host and with nginx')
    .addOption(number('--rounds <number>', 'measurements of each server, in turns', 5))
    .addOption(number('--seconds <number>', 'length of one measurement', 3))
    .addOption(number('--connections <number>', 'keep-alive connections', 64))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Both servers send the same gzip files, and every body is compared. nginx is that of Debian (apt-get install nginx-light), with one
worker per core. Exit code 1 if quire host answers less than ${leastShare} times as many requests.

Examples:
  npm run bench -- host
  npm run bench -- host --rounds 10 --seconds 5 --json`,
    )
    .action(run)
}

async function run({ json, ...plan }: Flags): Promise<void> {
  const before = loadavg()[0] ?? 0
  const figures = await runHosts(plan, text => process.stderr.write(`${text}\n`))
  const machine = describeMachine(before)
  if (json) console.log(JSON.stringify({ machine, plan, ...figures }, undefined, 2))
  else {
    const at = new Date().toISOString().slice(0, 16).replace('T', ' ')
    console.log(
      `${at} UTC, ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load average ` +
        `${machine.loadAverageBefore.toFixed(1)} before and ${machine.loadAverageAfter.toFixed(1)} after. ${figures.pages} pages, ` +
        `${plan.connections} connections, ${plan.rounds} rounds of ${plan.seconds} s; medians.\n`,
    )
    console.log(toTable(toRows(figures)).join('\n'))
    console.log(
      `\nRestart with a link that does not answer: first page after ${figures.restartSeconds.toFixed(2)} s. ` +
        `Peak memory of the host: ${Math.round(figures.peakMb)} MB.`,
    )
  }
  const share = findShare(figures)
  if (share < leastShare)
    throw new OperatorError(`quire host reaches ${share.toFixed(2)} of nginx; the goal is ${leastShare}.`)
}

function toRows({ runs }: HostFigures): string[][] {
  const peer = findRate(runs.find(({ name }) => name === 'nginx'))
  const rows = runs.map(run => [
    run.name,
    Math.round(findRate(run)).toLocaleString('en-US'),
    (findRate(run) / peer).toFixed(2),
    median(run.loads.map(({ p50Ms }) => p50Ms)).toFixed(1),
    median(run.loads.map(({ p99Ms }) => p99Ms)).toFixed(1),
    ((run.cpuSeconds * 1e6) / run.loads.reduce((sum, { requests }) => sum + requests, 0)).toFixed(0),
  ])
  return [['server', 'requests/s', 'share of nginx', 'p50 ms', 'p99 ms', 'CPU µs per request'], ...rows]
}

function findShare({ runs }: HostFigures): number {
  const rate = (name: string) => findRate(runs.find(run => run.name === name))
  return rate('quire host') / rate('nginx')
}

function findRate(run: HostRun | undefined): number {
  return median((run?.loads ?? []).map(({ requests, seconds }) => requests / seconds))
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
