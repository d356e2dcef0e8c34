/** What to look for in the sites made of the documents of fastify, undici and npm. */
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
