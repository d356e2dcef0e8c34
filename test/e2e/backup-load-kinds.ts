/** A line that test/e2e/backup-load.ts prints. */
export type Written =
  | { kind: 'agent-job'; id: string }
  | { kind: 'visitor'; project: string }
  | { kind: 'position'; visitors: number }
  | { kind: 'export'; id: string; sha256: string }
  | { kind: 'deletion'; id: string }

/** The log whose position it writes. */
export const followedLog = 'access.log'
