// Runs inside Dredd. Changes a valid request so that it gets a documented status.
type State = import('./dredd-state.ts').DreddState

interface Request {
  method: string
  headers: Record<string, string>
  body: string
}

/** What a request of one operation needs for one status, beside what `changeRequest` does for every operation. */
interface Wish {
  /** Values of the parameters in the path. */
  ids?: Record<string, string>
  key?: string
  body?: object
}

/** A table that the operation needs and the check of the key does not. Without it, the answer is 500. */
const tables: Record<string, string> = {
  getAgentJob: 'agent_jobs',
  getUniqueVisitors: 'day_counters',
  startStaticExportJob: 'sites',
  getStaticExportJob: 'export_jobs',
  generateStaticExportBundle: 'export_jobs',
  listAgentJobs: 'agent_jobs',
  reportAgentJob: 'agent_jobs',
  archiveAgentJob: 'agent_jobs',
  listExports: 'export_jobs',
  deleteExport: 'export_jobs',
  cancelExport: 'export_jobs',
  sendVisits: 'projects',
  sendVisitsByHost: 'sites',
  sendPageView: 'projects',
  listWebhooks: 'webhooks',
  createWebhook: 'webhooks',
  deleteWebhook: 'webhooks',
  rotateWebhookSecret: 'webhooks',
  sendTestEvent: 'webhooks',
  listDeliveries: 'webhooks',
  startAgentJob: 'agent_sources',
  sendAgentMessage: 'agent_jobs',
  startEarlierAgentJob: 'agent_sources',
  getAgentRun: 'agent_runs',
  getAgentChange: 'agent_runs',
  listAgentEvents: 'agent_events',
  cancelAgentJob: 'agent_runs',
}

const hasAgent = 'The server of these transactions has an agent. The tests of the extensions reach it without one.'
/** Documented responses that no transaction reaches, and why. */
const unreached: Record<string, string> = {
  'listAgentEvents 429': 'it needs 20 streams that stay open; see test/operations/listAgentEvents.test.ts',
  'startAgentJob 501': hasAgent,
  'sendAgentMessage 501': hasAgent,
  'startEarlierAgentJob 501': hasAgent,
}

/** A job is named differently for each change that could be made to it, because the transactions share one server. */
function listWishes(state: State): Record<string, Wish> {
  return {
    'startStaticExportJob 429': { key: state.spent.key, body: { domain: state.spent.domain } },
    'generateStaticExportBundle 409': { ids: { jobId: state.runningJobId } },
    'reportAgentJob 201': { ids: { id: 'dredd-201' } },
    'reportAgentJob 409': { ids: { id: state.endedAgentJobId }, body: { status: 'failed' } },
    'reportAgentJob 503': { ids: { id: 'dredd-503' } },
    'archiveAgentJob 200': { ids: { id: state.archivedAgentJobId } },
    'archiveAgentJob 503': { ids: { id: state.endedAgentJobId } },
    'startAgentJob 409': { ids: { projectId: state.bareProjectId } },
    'startEarlierAgentJob 409': { ids: { projectId: state.bareProjectId } },
    'sendAgentMessage 202': { ids: { id: state.instructedRunId } },
    'sendAgentMessage 429': { ids: { id: state.spent.agentJobId } },
    'sendAgentMessage 503': { ids: { id: state.endedRunId } },
    'getAgentRun 200': { ids: { id: state.endedRunId } },
    'getAgentChange 200': { ids: { id: state.endedRunId } },
    'listAgentEvents 200': { ids: { id: state.endedRunId } },
    'listAgentEvents 500': { ids: { id: state.endedRunId } },
    'cancelAgentJob 202': { ids: { id: state.cancelledRunId } },
    'cancelAgentJob 409': { ids: { id: state.endedRunId } },
    'cancelAgentJob 503': { ids: { id: state.runningRunId } },
    'deleteExport 200': { ids: { jobId: state.deletedJobId } },
    'deleteExport 409': { ids: { jobId: state.runningJobId } },
    'cancelExport 200': { ids: { jobId: state.cancelledJobId } },
    'createWebhook 409': { key: state.spent.key },
    'deleteWebhook 200': { ids: { webhookId: state.deletedWebhookId } },
    'sendTestEvent 409': { ids: { webhookId: state.disabledWebhookId } },
  }
}

/** Returns the path of the request with its query, and changes the rest of it. */
function changeRequest(
  { request, fullPath }: { request: Request; fullPath: string },
  { path, operationId, status, mediaType }: { path: string; operationId: string; status: number; mediaType?: string },
  state: State,
): string {
  const wish = listWishes(state)[`${operationId} ${status}`] ?? {}
  const starts = operationId === 'startStaticExportJob'
  const sends = operationId.startsWith('sendVisits')
  const { headers } = request
  let query = fullPath.split('?')[1] ?? ''
  headers.Authorization = `Bearer ${wish.key ?? state.key}`
  // A CSV has all pages.
  if (mediaType === 'text/csv') query = query.replaceAll(/(limit|offset)=\d+&?/g, '')
  // The example is not a cursor of this server.
  query = query.replaceAll(/cursor=[^&]*&?/g, '')
  // The examples of the other parameters do not belong together, and lines of the format of the example have no host.
  if (sends) query = operationId === 'sendVisits' ? 'format=combined&envelope=none' : ''
  if (starts) {
    headers['Idempotency-Key'] = `dredd-${status}`
    request.body = JSON.stringify({ domain: state.domain })
  }
  switch (status) {
    case 400:
      if (starts) request.body = JSON.stringify({ domain: 'https://docs.example.com/' })
      else query += `${query === '' ? '' : '&'}unknown=1`
      break
    case 401:
      delete headers.Authorization
      break
    case 403:
      headers.Authorization = `Bearer ${request.method === 'GET' ? state.ingestKey : state.readOnlyKey}`
      break
    case 409:
      // The Idempotency-Key of the transaction for 202, which ran before, with another body.
      if (starts) {
        headers['Idempotency-Key'] = 'dredd-202'
        request.body = JSON.stringify({ domain: state.domain, format: 'tar.gz' })
      }
      break
    case 413:
      request.body = JSON.stringify({ domain: state.domain, version: 'a'.repeat(2_000_000) })
      break
    case 415:
      headers[sends ? 'Content-Encoding' : 'Content-Type'] = sends ? 'br' : 'text/plain'
      break
    case 429:
      headers.Authorization = `Bearer ${state.spent.key}`
      if (headers.Origin) headers.Origin = `https://${state.spent.domain}`
      break
    default:
  }
  if (wish.body) request.body = JSON.stringify(wish.body)
  delete headers['Content-Length'] // was the length of the replaced body
  const ids: Record<string, string> = {
    projectId: state.projectId,
    id: state.agentJobId,
    jobId: state.completedJobId,
    webhookId: state.webhookId,
    ...(status === 404 && state.foreign),
    ...(status === 429 && { projectId: state.spent.projectId }),
    ...wish.ids,
  }
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] as string)
  return query === '' ? target : `${target}?${query}`
}

module.exports = { tables, unreached, changeRequest }
