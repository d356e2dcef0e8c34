/** The path of the page of an export, below that of its organization. */
export function exportPath(jobId: string): string {
  return `/exports/${encodeURIComponent(jobId)}`
}

/** The path of the page of a site, below that of its organization. */
export function sitePath(domain: string): string {
  return `/projects/sites/${encodeURIComponent(domain)}`
}

/** The path of the settings of a project, below that of its organization. */
export function projectSettingsPath(projectId: string): string {
  return `/projects/settings/${encodeURIComponent(projectId)}`
}
