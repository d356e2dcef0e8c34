import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { integer } from '../../server/flags/integer.ts'
import { jsonOption } from '../../server/flags/options.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { docusaurusSite } from './export/site-docusaurus.ts'
import { starlightSite } from './export/site-starlight.ts'
import { vitepressSite } from './export/site-vitepress.ts'
import { serveStatic } from './export/static-server.ts'
import { type CheckedSite, checkText, type MeasuredExport, missedGoals } from './export-check/report.ts'
import { measureExport } from './export-check/run.ts'
import { vuepressSite } from './export-gallery/site-vuepress.ts'
import { describeMachine } from './http/report.ts'

interface Flags {
  sites: string
  runs: number
  json?: boolean
}

export function exportCheckCommand(): Command {
  return new Command('export-check')
    .description('compare the time of an export with the default check and with --verify static')
    .addOption(
      new Option('--sites <folder>', 'folder for the built sites; later runs reuse it')
        .env('QUIRE_BENCH_SITES')
        .default(join(tmpdir(), 'quire-bench')),
    )
    .addOption(
      new Option('--runs <number>', 'number of exports of each kind and site')
        .env('QUIRE_BENCH_RUNS')
        .default(3)
        .argParser(integer(1, 100)),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Exports Docusaurus, VitePress, VuePress and Starlight sites in turn with --verify static and with the default. Exit code 1 if the
default takes more than 2.5 times as long, by the medians.

Examples:
  npm run bench -- export-check
  npm run bench -- export-check --runs 5 --json`,
    )
    .action(run)
}

async function run({ sites, runs, json }: Flags): Promise<void> {
  if (!findBrowser())
    throw new OperatorError(`Chromium is needed to check the bundles. Install it with: ${installCommand()}`)
  const cacheFolder = resolve(sites)
  await mkdir(cacheFolder, { recursive: true })
  const scratch = await mkdtemp(join(tmpdir(), 'quire-check-'))
  const loadAverage = loadavg()[0] ?? 0
  const checked: CheckedSite[] = []
  try {
    for (const site of [docusaurusSite, vitepressSite, vuepressSite, starlightSite]) {
      const source = await site.prepare(cacheFolder)
      const origin = await serveStatic(source.folder, {})
      const exports: MeasuredExport[] = []
      try {
        for (let at = 0; at < runs; at += 1) {
          for (const verify of ['static', 'sample'] as const) {
            process.stderr.write(`${site.name}: --verify ${verify}, run ${at + 1} of ${runs}\n`)
            const measured = await measureExport({ verify, url: origin.root.href, domain: site.domain, scratch })
            process.stderr.write(
              `  ${measured.wallSeconds.toFixed(1)} s, ${measured.cpuSeconds.toFixed(1)} s of CPU time\n`,
            )
            exports.push(measured)
          }
        }
      } finally {
        await origin.close()
      }
      checked.push({ site: site.name, exports })
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  const machine = describeMachine(loadAverage)
  console.log(json ? JSON.stringify({ machine, sites: checked }, undefined, 2) : checkText(checked, machine))
  const missed = missedGoals(checked)
  if (missed.length > 0) throw new OperatorError(missed.join('\n'))
}
