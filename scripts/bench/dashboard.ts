import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { measureFirstLoad } from './dashboard/first-load.ts'
import { measurePages } from './dashboard/measure-pages.ts'
import { type Report, reportText, withGoals } from './dashboard/report.ts'
import { startDashboard } from './dashboard/served-dashboard.ts'
import { createData } from './http/data.ts'
import { describeMachine, numberOption } from './report.ts'
import { endDay, firstDay } from './visitors/plan.ts'
import { fillStore } from './visitors/visits-part.ts'

interface Flags {
  visits: number
  rounds: number
  json?: boolean
}

export function dashboardCommand(): Command {
  return new Command('dashboard')
    .description('measure the pages of the dashboard on a project with many visits')
    .addOption(numberOption('--visits', 'page views, on 10,000 pages and 400 days', 10_000_000, [1, 1_000_000_000]))
    .addOption(numberOption('--rounds', 'requests for each page', 20, [1, 1000]))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Exit code 1 if a goal is missed.

Examples:
  npm run bench -- dashboard
  npm run bench -- dashboard --visits 100000 --rounds 5`,
    )
    .action(run)
}

async function run({ visits, rounds, json }: Flags): Promise<void> {
  const executablePath = findBrowser(process.env)
  if (executablePath === null) throw new OperatorError(`This needs a Chromium. Install one with: ${installCommand()}`)
  const [loadBefore = 0] = loadavg()
  const scratch = await mkdtemp(join(tmpdir(), 'quire-dashboard-'))
  try {
    const data = join(scratch, 'data')
    const { projectIds } = await createData(data, 1000)
    const [projectId = ''] = projectIds
    console.error(`Recording ${visits} visits ...`)
    const plan = { seed: 1, requests: visits, pages: 10_000, from: firstDay, to: endDay, viewsOnly: true }
    await fillStore({ data, projectId, plan }, scratch)
    const dashboard = await startDashboard(data)
    try {
      console.error('Measuring pages ...')
      const pages = await measurePages(dashboard, projectId, rounds)
      const firstLoad = await measureFirstLoad(dashboard, executablePath)
      const report: Report = withGoals({ visits, rounds, machine: describeMachine(loadBefore), pages, firstLoad })
      console.log(json ? JSON.stringify(report, undefined, 2) : reportText(report))
      if (report.goals.some(({ isMet }) => !isMet)) process.exitCode = 1
    } finally {
      await dashboard.close()
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
