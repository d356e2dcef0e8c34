import type { ETags, Handlers } from '../../generated/operations.ts'
import type { Client } from './client.ts'
import type { Deps } from './deps.ts'
import { generateStaticExportBundle } from './generateStaticExportBundle.ts'
import { getAgentJob } from './getAgentJob.ts'
import { getStaticExportJob } from './getStaticExportJob.ts'
import { findVisitorsETag, getUniqueVisitors } from './getUniqueVisitors.ts'
import { startStaticExportJob } from './startStaticExportJob.ts'

export const handlers = {
  getAgentJob,
  getUniqueVisitors,
  startStaticExportJob,
  getStaticExportJob,
  generateStaticExportBundle,
} satisfies Handlers<Deps, Client>

export const etags = { getUniqueVisitors: findVisitorsETag } satisfies ETags<Deps, Client>
