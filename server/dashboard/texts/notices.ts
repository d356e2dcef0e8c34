/** What was done, by the name that an address of the dashboard carries. */
export const notices = {
  'key-revoked': 'The key is revoked. The next request with it is refused.',
  'key-form-used':
    'This form was sent before and generated a key then. No second key was generated. If nobody saved the key, revoke it.',
  'signed-out-elsewhere': 'All other sessions are signed out.',
  'site-created': 'The site is registered. Test its origin, then start an export.',
  'site-deleted': 'The site is deleted. Its finished exports stay.',
  'site-changed': 'The changes are saved. The next export uses them.',
  'schedule-set': 'The schedule is saved.',
  'schedule-off': 'The site has no schedule. Its exports do not start by themselves.',
  'webhook-deleted': 'The webhook is deleted. Nothing more is sent there.',
  'webhook-enabled': 'The webhook is enabled.',
  'project-created': 'The project is created.',
  'project-changed': 'The settings are saved. They apply to visits that are counted from now on.',
  'export-started': 'The export was started.',
  'export-cancelled': 'The export is cancelled.',
  'export-had-ended': 'The export had already ended. Nothing was changed.',
  'export-deleted': 'The export and its bundle are deleted.',
  'agent-job-started': 'The job is started.',
  'agent-job-form-used': 'This form was sent before and started this job then. No second job was started.',
  'agent-job-instructed': 'The message is sent. The agent goes on.',
  'agent-job-cancelled': 'The job is cancelled.',
  'agent-job-had-ended': 'The job had already ended. Nothing was changed.',
  'agent-job-archived': 'The job is archived.',
  'agent-job-was-archived': 'The job was already archived. Nothing was changed.',
  'person-removed': 'The person is removed and signed out everywhere.',
} as const

/** What a person should act on, or what was not done. These notices stay; the others leave by themselves. */
export const lastingNotices: ReadonlySet<string> = new Set<keyof typeof notices>([
  'key-form-used',
  'site-created',
  'export-had-ended',
  'agent-job-form-used',
  'agent-job-had-ended',
  'agent-job-was-archived',
])
