import { setTimeout } from 'node:timers/promises'
import { Command } from 'commander'
import { pino } from 'pino'
import { type Demo, seedDemo, startDemoExport } from '../demo/seed.ts'
import type { ExportJobs } from '../export/jobs/export-job.ts'
import { readConfig, type ServeFlags, serveOptions } from '../flags/serve-options.ts'
import { startServer } from '../server.ts'
import { closeOnSignal, startOrExplain } from './serve.ts'
import { withStore } from './with-store.ts'

const exportPatienceMs = 15_000

export function demoCommand(): Command {
  const command = new Command('demo').description('serve a demo organization and print example requests').addHelpText(
    'after',
    `
Examples:
  quire demo
  quire demo --port 9000 --data /tmp/quire-demo

The first start creates a demo organization with agent jobs, a month of visitors, and this project's documentation as a
site. Each start creates a new API key and revokes the previous one.`,
  )
  for (const option of serveOptions()) command.addOption(option)
  return command.action(async (flags: ServeFlags & { logLevel: string }) => {
    // Request logs would scroll the example requests out of the terminal.
    const level = process.env.QUIRE_LOG_LEVEL ?? (flags.logLevel === 'info' ? 'warn' : flags.logLevel)
    const config = readConfig({ ...flags, logLevel: level })
    const server = await startOrExplain(() => startServer(config, pino({ level })))
    const baseUrl = config.publicUrl ?? server.url
    const demo = await withStore(config.dataFolder, async store => {
      const demo = await seedDemo(store, {
        dataFolder: config.dataFolder,
        keyPrefix: config.keyPrefix,
        now: Date.now(),
      })
      const jobId = await startDemoExport(store, demo, server.url, Date.now())
      await untilEnded(store.exportJobs, jobId)
      return { ...demo, jobId }
    })
    console.log(introduce(baseUrl, demo))
    closeOnSignal(server)
  })
}

/** Waits up to 15 s for the export, so that the example request for its bundle works at once. */
async function untilEnded(exportJobs: ExportJobs, jobId: string): Promise<void> {
  for (const endsAt = Date.now() + exportPatienceMs; Date.now() < endsAt; ) {
    const job = await exportJobs.find(jobId)
    if (job?.status === 'completed' || job?.status === 'failed') return
    await setTimeout(100)
  }
}

function introduce(baseUrl: string, demo: Demo & { jobId: string }): string {
  const curl = `curl -s -w '\\n' -H 'Authorization: Bearer ${demo.key}'`
  return `
Quire serves at   ${baseUrl}
Documentation     ${baseUrl}/docs/
Admin API key     ${demo.key}   (shown only once; the next start creates a new key)

Paste these, one for each operation:

# an agent's job
${curl} ${baseUrl}/v2/agent/${demo.projectId}/job/${demo.agentJobId}

# unique visitors, human and AI, for the whole range
${curl} '${baseUrl}/v1/analytics/${demo.projectId}/visitors?limit=5'

# start an export of the documentation site
${curl} -H 'Content-Type: application/json' -d '{"domain":"${demo.domain}"}' ${baseUrl}/v1/static-export/jobs

# poll an export (this one was made when the server started)
${curl} ${baseUrl}/v1/static-export/jobs/${demo.jobId}

# a link to its bundle
${curl} -X POST ${baseUrl}/v1/static-export/jobs/${demo.jobId}/bundle

Ctrl-C ends it. Its data is in ${demo.dataFolder}. Delete that folder to start over.
`
}
