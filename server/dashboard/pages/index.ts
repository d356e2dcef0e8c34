import type { PageDefinition } from '../page.ts'
import { agentJobPage } from './agent-job.ts'
import { agentJobsPage } from './agent-jobs.ts'
import { auditPage } from './audit.ts'
import { exportPage } from './export.ts'
import { exportChangesPage } from './export-changes.ts'
import { exportsPage, startedPage } from './exports.ts'
import { healthPage } from './health.ts'
import { keysPage } from './keys.ts'
import { organizationsPage } from './organizations.ts'
import { overviewPage } from './overview.ts'
import { peoplePage } from './people.ts'
import { projectSettingsPage } from './project-settings.ts'
import { projectsPage } from './projects.ts'
import { sitePage } from './site.ts'
import { visitorsPage } from './visitors.ts'

/** All pages of an organization. A page with a fixed path stands before one with a placeholder in its place. */
export const pages: readonly PageDefinition[] = [
  overviewPage,
  keysPage,
  projectsPage,
  projectSettingsPage,
  sitePage,
  visitorsPage,
  exportsPage,
  startedPage,
  exportPage,
  exportChangesPage,
  agentJobsPage,
  agentJobPage,
  peoplePage,
  auditPage,
  healthPage,
  organizationsPage,
]
