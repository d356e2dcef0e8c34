import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Command } from 'commander'
import { demoSuggestion } from '../agent/session/presets.ts'
import type { ExportJobs } from '../export/jobs/export-job.ts'
import { readConfig, serveSettings } from '../flags/serve-settings.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { shared } from '../flags/shared-settings.ts'
import { isRoot } from '../web/browser/launch.ts'
import { demoKeyFile } from './demo/demo-key.ts'
import { demoRepository, seedRepository } from './demo/demo-repository.ts'
import { type Demo, seedDemo, startDemoExport } from './demo/seed.ts'
import { findOpener, openInBrowser } from './open-browser.ts'
import { openLog } from './open-log.ts'
import { printJson } from './print.ts'
import { closeOnSignal, loadAndStart, startOrExplain } from './serve.ts'
import { createSignInLink, linkTerms, operatorName } from './sign-in-link.ts'
import { refuseDatabase, withStore } from './with-store.ts'

const exportPatienceMs = 15_000

const settings = {
  newKey: { flag: '--new-key', what: 'revoke the API key of the demo and make another' },
  open: {
    flag: '--no-open',
    env: 'QUIRE_NO_OPEN',
    what: 'do not open the dashboard in a browser when the demo is made',
  },
  ...serveSettings,
  json: shared.json,
} as const satisfies Settings

type DemoFlags = FlagsOf<typeof settings>

const usualSettings = ['newKey', 'open', 'data', 'host', 'port', 'publicUrl', 'logLevel', 'json'] as const

export function demoCommand(): Command {
  const command = new Command('demo').description('serve a demo organization and print example requests').addHelpText(
    'after',
    `
Examples:
  npx quire demo
  npx quire demo --new-key
  npx quire demo --port 9000 --data other-demo

On a terminal, the first start opens the dashboard in a browser. It creates a demo organization with agent jobs, a month of visitors, and this project's documentation as a
site. Its API key stays the same. It is kept in demo.key in the data folder, which only you can read.`,
  )
  return addSettings(command, settings, usualSettings).action(async (flags: DemoFlags) => {
    // Request logs would scroll the example requests out of the terminal.
    const logLevel = command.getOptionValueSource('logLevel') === 'default' ? 'warn' : flags.logLevel
    refuseDatabase(flags, 'demo', 'To set up a PostgreSQL database, run npx quire init.')
    const config = readConfig({
      ...flags,
      ...{ logLevel, allowNoSandbox: flags.allowNoSandbox ?? allowAsRoot(), agent: flags.agent ?? 'demo' },
    })
    const log = await openLog(config)
    const { platform, env, stdout } = process
    const seat = { platform, env, isTerminal: stdout.isTTY && !flags.json }
    const isNew = !existsSync(demoKeyFile(config.dataFolder))
    const server = await startOrExplain(() => loadAndStart(config, log))
    const baseUrl = config.publicUrl ?? server.url
    const { opened, ...demo } = await withStore({ data: config.dataFolder }, async store => {
      const demo = await seedDemo(store, {
        dataFolder: config.dataFolder,
        keyPrefix: config.keyPrefix,
        now: Date.now(),
        newKey: flags.newKey ?? false,
      })
      const jobId = await startDemoExport(store, demo, server.url, Date.now())
      const hasRepository = await seedRepository(store, demo.projectId, demo.dataFolder)
      await untilEnded(store.exportJobs, jobId)
      const wish = { organizationId: null, name: operatorName, baseUrl }
      const dashboard = config.dashboard ? (await createSignInLink(store, wish)).url : null
      // A link works once, so the browser gets its own. Later starts leave the browser as it is.
      const opens = isNew && flags.open && config.dashboard && findOpener(seat) !== null
      const opened = opens ? (await createSignInLink(store, wish)).url : null
      return { ...demo, jobId, hasRepository, dashboard, opened }
    })
    closeOnSignal(server)
    if (opened !== null) await openInBrowser(opened, join(config.dataFolder, 'demo-dashboard.html'), seat)
    if (flags.json) printJson({ url: baseUrl, documentation: `${baseUrl}/docs/`, ...demo })
    else console.log(introduce(baseUrl, demo))
  })
}

/** As root, Chromium has no sandbox. The demo exports its own documentation, so it may run without. */
function allowAsRoot(): boolean {
  if (isRoot()) console.error('This demo runs as root, so Chromium runs without its sandbox (--allow-no-sandbox).')
  return isRoot()
}

/** Waits up to 15 s for the export, so that the example request for its bundle works at once. */
async function untilEnded(exportJobs: ExportJobs, jobId: string): Promise<void> {
  for (const endsAt = Date.now() + exportPatienceMs; Date.now() < endsAt; ) {
    const job = await exportJobs.find(jobId)
    if (job?.status === 'completed' || job?.status === 'failed') return
    await setTimeout(100)
  }
}

interface Started extends Demo {
  /** Of the export. */
  jobId: string
  hasRepository: boolean
  dashboard: string | null
}

function introduce(baseUrl: string, demo: Started): string {
  const dashboard = demo.dashboard === null ? '' : `Dashboard         ${demo.dashboard}   (${linkTerms})\n`
  const repository = demoRepository(demo.dataFolder)
  const agent = demo.hasRepository ? `The demo agent pushes to ${repository}.\n` : ''
  const curl = `curl -s -w '\\n' -H 'Authorization: Bearer ${demo.key}'`
  return `
Quire serves at   ${baseUrl}
Documentation     ${baseUrl}/docs/
${dashboard}Admin API key     ${demo.key}   (kept in ${demoKeyFile(demo.dataFolder)})

Paste these, one for each operation:

# an agent's job
${curl} ${baseUrl}/v2/agent/${demo.projectId}/job/${demo.agentJobId}

# let the demo agent, which uses no model, change the pages of a repository
${curl} -H 'Content-Type: application/json' -d '${JSON.stringify({ prompt: demoSuggestion })}' ${baseUrl}/v2/agent/${demo.projectId}/job

# unique visitors, human and AI, for the whole range
${curl} '${baseUrl}/v1/analytics/${demo.projectId}/visitors?limit=5'

# start an export of the documentation site
${curl} -H 'Content-Type: application/json' -d '{"domain":"${demo.domain}"}' ${baseUrl}/v1/static-export/jobs

# poll an export (this one was made when the server started)
${curl} ${baseUrl}/v1/static-export/jobs/${demo.jobId}

# a link to its bundle
${curl} -X POST ${baseUrl}/v1/static-export/jobs/${demo.jobId}/bundle

Ctrl-C ends it. Its data is in ${demo.dataFolder}. Delete that folder to start over.
${agent}`
}
