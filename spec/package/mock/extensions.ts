import { routes as added, type Handlers, type Route } from '../../../generated/extensions/operations.ts'
import { requests } from '../../../generated/extensions/requests.ts'
import { type AnyRoute, routes } from '../../../generated/operations.ts'
import type { AgentJob, AgentJobStatus } from '../../../server/agent/agent-job.ts'
import type { Steps } from '../../../server/base/steps.ts'
import type { UndeletedJob } from '../../../server/export/jobs/export-job.ts'
import type { GivenExtensions } from '../../../server/http/given-extensions.ts'
import { createRouteTable } from '../../../server/http/routes.ts'
import type { Client } from '../../../server/operations/client.ts'
import { archiveAgentJob } from '../../../server/operations/extensions/archiveAgentJob.ts'
import { cancelExport } from '../../../server/operations/extensions/cancelExport.ts'
import { deleteExport } from '../../../server/operations/extensions/deleteExport.ts'
import type { ExtensionDeps, RecordedNouns } from '../../../server/operations/extensions/deps.ts'
import { listAgentJobs } from '../../../server/operations/extensions/listAgentJobs.ts'
import { listExports } from '../../../server/operations/extensions/listExports.ts'
import { reportAgentJob } from '../../../server/operations/extensions/reportAgentJob.ts'
import { startAgentJob } from '../../../server/operations/extensions/startAgentJob.ts'

/** What the handlers of the second document need in the mock. */
export type MovingDeps = Pick<ExtensionDeps, 'projects' | 'agentJobs' | 'exportJobs' | 'bundles' | 'atomically' | 'now'>

/** The operations of the second document that the mock has. */
const handlers = {
  listAgentJobs,
  reportAgentJob,
  archiveAgentJob,
  listExports,
  cancelExport,
  deleteExport,
  startAgentJob,
  startEarlierAgentJob: startAgentJob,
  sendAgentMessage: startAgentJob,
} satisfies Partial<Handlers<MovingDeps, Client>>

const moving: readonly Route[] = added.filter(({ operationId }) => Object.hasOwn(handlers, operationId))

/** The same for `createTargetHandler`, which asks only for the handlers of the routes. */
export const extensions: GivenExtensions<MovingDeps, Client> = {
  document: requests,
  routes: moving,
  handlers: handlers as unknown as Handlers<MovingDeps, Client>,
}

/** All operations of the mock, of both documents. */
export const mocked = createRouteTable<AnyRoute>([...routes, ...moving])

/** What an operation changes. */
export interface ChangedNouns {
  agentJobs: { update(next: AgentJob, from: AgentJobStatus): boolean }
  exportJobs: {
    cancel(jobId: string, error: string, now: number): boolean
    delete(jobId: string, now: number, despiteLink: boolean): { fileName: string | null } | UndeletedJob
  }
}

/** Runs the steps of a transaction at once, so nothing else runs in between. The mock has no audit log. */
export function createTransactions({ agentJobs, exportJobs }: ChangedNouns): ExtensionDeps['atomically'] {
  const nouns = {
    agentJobs: { update: (next, from) => inOneStep(() => agentJobs.update(next, from)) },
    exportJobs: {
      cancel: (jobId, error, now) => inOneStep(() => exportJobs.cancel(jobId, error, now)),
      delete: (jobId, now, despiteLink) => inOneStep(() => exportJobs.delete(jobId, now, despiteLink)),
    },
    auditLog: { append: () => inOneStep(() => undefined) },
  } satisfies Partial<RecordedNouns>
  return work => {
    const steps = work(nouns as unknown as RecordedNouns)
    let step = steps.next()
    while (!step.done) step = steps.next()
    return step.value
  }
}

function* inOneStep<T>(change: () => T): Steps<T> {
  yield
  return change()
}
