import type { Handlers } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import { archiveAgentJob } from './archiveAgentJob.ts'
import { cancelAgentJob } from './cancelAgentJob.ts'
import { cancelExport } from './cancelExport.ts'
import { createWebhook } from './createWebhook.ts'
import { deleteExport } from './deleteExport.ts'
import { deleteWebhook } from './deleteWebhook.ts'
import type { ExtensionDeps } from './deps.ts'
import { getAgentChange } from './getAgentChange.ts'
import { getAgentRun } from './getAgentRun.ts'
import { listAgentEvents } from './listAgentEvents.ts'
import { listAgentJobs } from './listAgentJobs.ts'
import { listDeliveries } from './listDeliveries.ts'
import { listExports } from './listExports.ts'
import { listWebhooks } from './listWebhooks.ts'
import { reportAgentJob } from './reportAgentJob.ts'
import { rotateWebhookSecret } from './rotateWebhookSecret.ts'
import { sendAgentMessage } from './sendAgentMessage.ts'
import { sendPageView } from './sendPageView.ts'
import { sendTestEvent } from './sendTestEvent.ts'
import { sendVisits } from './sendVisits.ts'
import { sendVisitsByHost } from './sendVisitsByHost.ts'
import { startAgentJob } from './startAgentJob.ts'

export const extensionHandlers = {
  reportAgentJob,
  listAgentJobs,
  archiveAgentJob,
  getAgentRun,
  getAgentChange,
  listAgentEvents,
  cancelAgentJob,
  listExports,
  cancelExport,
  deleteExport,
  sendVisits,
  sendVisitsByHost,
  sendPageView,
  createWebhook,
  listWebhooks,
  deleteWebhook,
  rotateWebhookSecret,
  sendTestEvent,
  listDeliveries,
  startAgentJob,
  startEarlierAgentJob: startAgentJob,
  sendAgentMessage,
} satisfies Handlers<ExtensionDeps, Client>
