import type { DashboardDeps } from '../deps.ts'
import type { Visit } from '../page.ts'
import { copyButton } from '../parts/copy.ts'
import { html, type Markup } from '../parts/html.ts'

/** Says how a member gets a project: members cannot create one. */
export function askForProject({ organization }: Visit): Markup {
  return ask(texts.project, texts.projectCommand(organization.id))
}

/** Says how a member gets a site, or first a project. */
export async function askForSite(visit: Visit, { projects }: Pick<DashboardDeps, 'projects'>): Promise<Markup> {
  const { rows } = await projects.listPart(visit.organization.id, { contains: '', limit: 1, offset: 0 })
  return rows[0] ? ask(texts.site, texts.siteCommand(rows[0].id)) : askForProject(visit)
}

function ask(sentence: string, command: string): Markup {
  return html`${sentence}<br><code>${command}</code><br>${copyButton(command, { label: texts.copy, name: texts.copyCommand })}`
}

/** What a member needs an operator for: whom to ask, and the command that the operator runs. */
const texts = {
  project: 'Ask an operator of this server to create a project here in the dashboard, or to run:',
  projectCommand: (organizationId: string) => `npx quire projects create "Docs" --org ${organizationId}`,
  site: 'Ask an operator of this server to register a site here in the dashboard, or to run, with its domain:',
  siteCommand: (projectId: string) => `npx quire sites create docs.example.com --project ${projectId}`,
  copy: 'Copy',
  copyCommand: 'Copy the command for the operator',
}
