import { loadavg } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { onPostgres, quire, withMetrics } from './http/contestants.ts'
import { type Plan, runRounds } from './http/run.ts'
import { compareCpu, type Figures, findGeneratorShare, summarize } from './http/summary.ts'
import { conditionsText, describeMachine, type Machine, numberOption, toTable } from './report.ts'

/** Quire on PostgreSQL, as a share of its requests per second on SQLite. */
const minOfSqlite = 0.35

interface Flags extends Plan {
  minShare: number
  json?: boolean
}

export function httpCommand(): Command {
  return new Command('http')
    .description('compare the requests per second of getAgentJob with bare node:http')
    .addOption(numberOption('--rounds', 'number of measurements of each server', 10, [1, 1000]))
    .addOption(numberOption('--seconds', 'length of one measurement', 1, [1, 600]))
    .addOption(numberOption('--warm-up-seconds', 'load before the first round', 2, [1, 600]))
    .addOption(numberOption('--connections', 'number of concurrent requests', 32, [1, 1000]))
    .addOption(numberOption('--jobs', 'number of agent jobs', 1000, [1, 100_000]))
    .addOption(
      new Option('--min-share <number>', 'fail if Quire is below this share of bare node:http')
        .env('QUIRE_BENCH_MIN_SHARE')
        .default(0.35)
        .argParser(readShare),
    )
    .addOption(
      new Option('--database <url>', 'also measure Quire on an empty database of PostgreSQL, which keeps the rows').env(
        'QUIRE_BENCH_DATABASE',
      ),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Servers run in separate processes, one after the other, and answer the same requests from the same database: bare node:http with
the same look-ups, and Quire with metrics, without them, and without a log file. Checks every response body. Exit code 1 if Quire is below the share,
or on PostgreSQL below 0.35 of SQLite.

Examples:
  npm run bench -- http
  npm run bench -- http --rounds 20 --seconds 2
  npm run bench -- http --database postgres://quire@127.0.0.1/bench
  npm run bench -- http --json > figures.json`,
    )
    .action(async ({ minShare, json, ...plan }: Flags) => {
      const loadAverage = loadavg()[0] ?? 0
      const runs = await runRounds(plan, round => process.stderr.write(`Round ${round} of ${plan.rounds} ...\n`))
      const report = {
        machine: describeMachine(loadAverage),
        plan,
        generatorShare: findGeneratorShare(runs),
        metricsCost: compareCpu(runs, withMetrics.name, quire.name),
        servers: summarize(runs),
      }
      console.log(json ? JSON.stringify(report, undefined, 2) : toText(report))
      expectGoal(report.servers, minShare)
    })
}

interface Report {
  machine: Machine
  plan: Plan
  /** CPU time of the load generator per second of wall time, in its busiest measurement. */
  generatorShare: number
  /** CPU time that the metrics add to a request, as a share. */
  metricsCost: number
  servers: Figures[]
}

/** Formats the report as Markdown for RESULTS.md. */
function toText({ machine, plan, generatorShare, metricsCost, servers }: Report): string {
  const rows = servers.map(server => [
    server.name,
    Math.round(server.requestsPerSecond).toLocaleString('en'),
    server.share.toFixed(2),
    server.p50Ms.toFixed(1),
    server.p99Ms.toFixed(1),
    server.cpuSecondsPer1000.toFixed(3),
    server.cpuShare.toFixed(2),
  ])
  const heads = ['server', 'requests/s', 'share of bare', 'p50 ms', 'p99 ms', 'CPU s per 1,000', 'share by CPU']
  return [
    conditionsText(machine),
    `${plan.rounds} rounds of ${plan.seconds} s per server, ${plan.connections} connections, ${plan.jobs.toLocaleString('en')} jobs; medians. ` +
      `The load generator used at most ${generatorShare.toFixed(2)} of a core. The metrics add ${(100 * metricsCost).toFixed(1)}% of CPU time to a request.`,
    '',
    ...toTable([heads, ...rows]),
  ].join('\n')
}

/** @throws {OperatorError} when Quire misses its goals. */
function expectGoal(servers: readonly Figures[], minShare: number): void {
  const find = (name: string) => servers.find(server => server.name === name) as Figures
  const usual = find(quire.name)
  if (usual.share < minShare) {
    throw new OperatorError(`Quire reaches ${usual.share.toFixed(2)} of bare node:http; the goal is ${minShare}.`)
  }
  const postgres = servers.find(({ name }) => name === onPostgres.name)
  const ofSqlite = postgres && postgres.requestsPerSecond / usual.requestsPerSecond
  if (ofSqlite !== undefined && ofSqlite < minOfSqlite) {
    throw new OperatorError(
      `On PostgreSQL, Quire reaches ${ofSqlite.toFixed(2)} of SQLite; the goal is ${minOfSqlite}.`,
    )
  }
}

function readShare(text: string): number {
  const share = Number(text)
  if (text.trim() === '' || !(share >= 0 && share <= 1))
    throw new InvalidArgumentError('It must be a number from 0 to 1.')
  return share
}
