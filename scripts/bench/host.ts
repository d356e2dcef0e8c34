import { loadavg } from 'node:os'
import { Command } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { type HostFigures, type HostPlan, type HostRun, runHosts } from './host/run.ts'
import { conditionsText, describeMachine, median, numberOption, toTable } from './report.ts'

interface Flags extends HostPlan {
  json?: boolean
}

/** The goal: requests per second relative to those of nginx. */
const leastShare = 0.5

export function hostCommand(): Command {
  return new Command('host')
    .description('serve the bundle of the Python docs with quire host and with nginx')
    .addOption(numberOption('--rounds', 'measurements of each server, in turns', 5, [1, 10_000]))
    .addOption(numberOption('--seconds', 'length of one measurement', 3, [1, 10_000]))
    .addOption(numberOption('--connections', 'keep-alive connections', 64, [1, 10_000]))
    .option('--json', 'print JSON')
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
    const rounds = `${plan.connections} connections, ${plan.rounds} rounds of ${plan.seconds} s; medians.`
    console.log(`${conditionsText(machine)} ${figures.pages} pages, ${rounds}\n`)
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
