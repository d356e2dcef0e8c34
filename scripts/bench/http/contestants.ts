export interface Contestant {
  name: string
  file: string
  logLevel: string
  checksRequests: boolean
  usesPostgres?: boolean
}

/** The servers of the comparison; the first is the baseline. */
export const contestants: readonly Contestant[] = [
  { name: 'bare node:http', file: 'bare.ts', logLevel: 'silent', checksRequests: false },
  { name: 'Quire', file: 'quire.ts', logLevel: 'info', checksRequests: true },
  { name: 'Quire, log off', file: 'quire.ts', logLevel: 'silent', checksRequests: true },
]

/** Runs if there is a PostgreSQL. */
export const onPostgres: Contestant = {
  name: 'Quire on PostgreSQL',
  file: 'quire.ts',
  logLevel: 'info',
  checksRequests: true,
  usesPostgres: true,
}
