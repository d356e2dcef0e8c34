// The answers for what does not exist, or belongs to another organization.

export const unknownProject = {
  error: 'Invalid project id: this organization has no project with the id in the path.',
  code: 'unknown_project',
} as const

export const unknownAgentJob = {
  error: 'This project has no agent job with the id in the path.',
  code: 'unknown_agent_job',
} as const

export const unknownExportJob = {
  error: 'This organization has no export job with the id in the path.',
  code: 'unknown_export_job',
} as const
