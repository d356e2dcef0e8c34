import type { AuditAction } from '../../tenancy/audit-event.ts'

/** What was done, in words. */
const actions: Record<AuditAction, string> = {
  'organization.created': 'Organization created',
  'organization.changed': 'Organization changed',
  'organization.deleted': 'Organization deleted',
  'project.created': 'Project created',
  'project.changed': 'Project changed',
  'site.created': 'Site registered',
  'site.changed': 'Site changed',
  'site.deleted': 'Site deleted',
  'key.created': 'API key generated',
  'key.revoked': 'API key revoked',
  'export.started': 'Export started',
  'export.deleted': 'Export deleted',
  'bundle-link.created': 'Link to a bundle made',
  'agent-job.archived': 'Agent job archived',
  'person.added': 'Person added',
  'person.removed': 'Person removed',
  'sign-in-link.created': 'Sign-in link made',
  'signed-in': 'Signed in',
  'sign-in.refused': 'Sign-in refused',
  'signed-out': 'Signed out',
}

export const auditTexts = {
  title: 'Audit log',
  intro: 'Who changed what, when and from where. Events are never changed or deleted.',
  empty: 'There are no events yet.',
  noOlder: 'There are no older events.',
  actions,
  columns: {
    when: 'When',
    action: 'What',
    subject: 'Of what',
    actor: 'Who',
    address: 'From where',
    organization: 'Organization',
  },
  scope: 'Events',
  scopes: { own: (name: string) => `of ${name}`, all: 'of all organizations' },
  noOrganization: 'none',
  downloadCsv: 'Download as CSV',
  downloadJson: 'Download as JSON',
  newest: 'Newest',
  older: 'Older',
  paging: 'More events',
}
