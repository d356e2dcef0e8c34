/** Search queries for the sites built from the documents of fastify, undici and npm. */
export const searchWords = [
  'hooks',
  'validation',
  'websocket',
  'lockfile',
  'workspaces',
  'agent',
  'publish',
  'serverless',
  'decorators',
  'audit',
]
