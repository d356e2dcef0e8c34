import type { Handlers } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import { archiveAgentJob } from './archiveAgentJob.ts'
import { cancelExport } from './cancelExport.ts'
import { deleteExport } from './deleteExport.ts'
import type { ExtensionDeps } from './deps.ts'
import { listAgentJobs } from './listAgentJobs.ts'
import { listExports } from './listExports.ts'
import { reportAgentJob } from './reportAgentJob.ts'

export const extensionHandlers = {
  reportAgentJob,
  listAgentJobs,
  archiveAgentJob,
  listExports,
  cancelExport,
  deleteExport,
} satisfies Handlers<ExtensionDeps, Client>
