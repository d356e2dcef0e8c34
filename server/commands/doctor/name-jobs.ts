const maxNamed = 3

/** Names the first jobs of a list in a message. */
export function nameJobs(jobIds: readonly string[]): string {
  return `${jobIds.slice(0, maxNamed).join(', ')}${jobIds.length > maxNamed ? ' ...' : ''}`
}
