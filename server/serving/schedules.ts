import { hostname } from 'node:os'
import type { Stoppable } from '../base/background.ts'
import { type SchedulerDeps, startScheduler } from '../export/jobs/scheduler.ts'
import { startStaticExportJob } from '../operations/startStaticExportJob.ts'
import { createId } from '../tenancy/id.ts'
import { includesStaticExport } from '../tenancy/organization.ts'
import { fingerprintInThread } from '../workers/probe-in-thread.ts'
import type { Parts } from './parts.ts'

const timeoutMs = 15_000

/** Starts the exports of sites that have a schedule. */
export function startSchedules({ config, store, log }: Parts, wakeRunner: () => void): Stoppable {
  const deps: SchedulerDeps = {
    ...{ siteSchedules: store.siteSchedules, sites: store.sites, exportJobs: store.exportJobs, now: Date.now, log },
    readFingerprint: ({ domain, origin }, signal) =>
      fingerprintInThread(
        { domain, origin: new URL(origin ?? `https://${domain}/`), originAllowed: origin !== null, timeoutMs },
        signal,
      ),
    async start({ organizationId, domain }) {
      const { plan } = (await store.organizations.find(organizationId)) ?? { plan: 'standard' }
      if (!includesStaticExport(plan)) return { problem: 'The plan of this organization has no static export.' }
      const client = {
        ...{ keyId: 'schedule', organizationId, plan, projectIds: null, actor: 'schedule', ipAddress: hostname() },
        scopes: ['read' as const, 'write' as const],
        address: { url: config.publicUrl ?? '', isPublic: config.publicUrl !== undefined },
      }
      const { maxQueuedExports } = config
      const input = {
        ...{ params: {}, query: {}, headers: {}, mediaType: 'application/json' as const },
        body: await repeatSettings(store, organizationId, domain),
      }
      const createJobId = () => createId('se')
      const answer = await startStaticExportJob(
        input,
        { ...store, maxQueuedExports, wakeRunner, now: Date.now, createJobId },
        client,
      )
      return answer.status === 202 && 'body' in answer ? { jobId: answer.body.jobId } : { problem: problemOf(answer) }
    },
  }
  return startScheduler(deps)
}

type Body = Parameters<typeof startStaticExportJob>[0]['body']

/** Returns the settings of the last completed export of the whole site, or the usual ones. Its version is a label of that export alone. */
async function repeatSettings({ exportJobs }: Parts['store'], organizationId: string, domain: string): Promise<Body> {
  const last = await exportJobs.findLastCompleted(organizationId, { domain, paths: null })
  if (!last) return { domain, deployment: 'air-gapped', format: 'zip', offlineSearch: false }
  const { deployment, features, offlineSearch, verify, format } = last.request
  return { domain, deployment, features, offlineSearch, format, ...(verify && { verify }) }
}

function problemOf(answer: Awaited<ReturnType<typeof startStaticExportJob>>): string {
  return 'body' in answer && 'error' in answer.body && answer.body.error !== null ? answer.body.error : 'refused'
}
