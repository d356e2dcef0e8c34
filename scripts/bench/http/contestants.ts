export interface Contestant {
  name: string
  file: string
  logLevel: string
  checksRequests: boolean
  usesPostgres?: boolean
  hasMetrics?: boolean
}

export const quire: Contestant = { name: 'Quire', file: 'quire.ts', logLevel: 'info', checksRequests: true }
export const withMetrics: Contestant = { ...quire, name: 'Quire with metrics', hasMetrics: true }

/** The servers of the comparison; the first is the baseline. */
export const contestants: readonly Contestant[] = [
  { name: 'bare node:http', file: 'bare.ts', logLevel: 'silent', checksRequests: false },
  quire,
  withMetrics,
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
