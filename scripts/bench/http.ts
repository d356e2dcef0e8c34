import { loadavg } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { integer } from '../../server/flags/integer.ts'
import { jsonOption } from '../../server/flags/options.ts'
import { onPostgres } from './http/contestants.ts'
import { describeMachine, toText } from './http/report.ts'
import { type Plan, runRounds } from './http/run.ts'
import { type Figures, findGeneratorShare, summarize } from './http/summary.ts'
import { installPeers } from './peers.ts'

/** Quire on PostgreSQL, as a share of its requests per second on SQLite. */
const minOfSqlite = 0.35

interface Flags extends Plan {
  minShare: number
  json?: boolean
}

export function httpCommand(): Command {
  const number = (flags: string, description: string, env: string, fallback: number, most: number) =>
    new Option(flags, description).env(env).default(fallback).argParser(integer(1, most))
  return new Command('http')
    .description('compare the requests per second of getAgentJob with bare node:http and openapi-backend')
    .addOption(number('--rounds <number>', 'number of measurements of each server', 'QUIRE_BENCH_ROUNDS', 10, 1000))
    .addOption(number('--seconds <number>', 'length of one measurement', 'QUIRE_BENCH_SECONDS', 1, 600))
    .addOption(
      number('--warm-up-seconds <number>', 'load before the first round', 'QUIRE_BENCH_WARM_UP_SECONDS', 2, 600),
    )
    .addOption(number('--connections <number>', 'number of concurrent requests', 'QUIRE_BENCH_CONNECTIONS', 32, 1000))
    .addOption(number('--jobs <number>', 'number of agent jobs', 'QUIRE_BENCH_JOBS', 1000, 100_000))
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
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Three servers run in separate processes, one after the other, and answer the same requests from the same database: bare
node:http with the same look-ups, openapi-backend with the same document, and Quire (with and without a log file). Checks every
response body. Exit code 1 if Quire is below the share, not faster than openapi-backend, or on PostgreSQL below 0.35 of SQLite.

Examples:
  npm run bench -- http
  npm run bench -- http --rounds 20 --seconds 2
  npm run bench -- http --database postgres://quire@127.0.0.1/bench
  npm run bench -- http --json > figures.json`,
    )
    .action(async ({ minShare, json, ...plan }: Flags) => {
      await installPeers()
      const loadAverage = loadavg()[0] ?? 0
      const runs = await runRounds(plan, round => process.stderr.write(`Round ${round} of ${plan.rounds} ...\n`))
      const report = {
        at: new Date().toISOString(),
        machine: describeMachine(loadAverage),
        plan,
        generatorShare: findGeneratorShare(runs),
        servers: summarize(runs),
      }
      console.log(json ? JSON.stringify(report, undefined, 2) : toText(report))
      expectGoal(report.servers, minShare)
    })
}

/** @throws {OperatorError} when Quire misses its goals. */
function expectGoal(servers: readonly Figures[], minShare: number): void {
  const find = (name: string) => servers.find(server => server.name === name) as Figures
  const [quire, peer] = [find('Quire'), find('openapi-backend')]
  if (quire.share < minShare) {
    throw new OperatorError(`Quire reaches ${quire.share.toFixed(2)} of bare node:http; the goal is ${minShare}.`)
  }
  const postgres = servers.find(({ name }) => name === onPostgres.name)
  const ofSqlite = postgres && postgres.requestsPerSecond / quire.requestsPerSecond
  if (ofSqlite !== undefined && ofSqlite < minOfSqlite) {
    throw new OperatorError(
      `On PostgreSQL, Quire reaches ${ofSqlite.toFixed(2)} of SQLite; the goal is ${minOfSqlite}.`,
    )
  }
  if (quire.share <= peer.share) throw new OperatorError('Quire is not ahead of openapi-backend.')
}

function readShare(text: string): number {
  const share = Number(text)
  if (text.trim() === '' || !(share >= 0 && share <= 1))
    throw new InvalidArgumentError('It must be a number from 0 to 1.')
  return share
}
