/** The servers of the comparison; the first is the baseline. */
export const contestants = [
  { name: 'bare node:http', file: 'bare.ts', logLevel: 'silent', checksRequests: false },
  { name: 'openapi-backend', file: 'openapi-backend.ts', logLevel: 'silent', checksRequests: true },
  { name: 'Quire', file: 'quire.ts', logLevel: 'info', checksRequests: true },
  { name: 'Quire, log off', file: 'quire.ts', logLevel: 'silent', checksRequests: true },
] as const
