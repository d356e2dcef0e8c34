// Runs agent jobs until it is killed: node runner-process.ts '{"folder": ..., "database": ..., "repository": ..., "name": ...}'
import { join } from 'node:path'
import type { Confinement } from '../../../server/agent/agent-settings.ts'
import { startAgentRunner } from '../../../server/agent/run/agent-runner.ts'
import { describeProgram } from '../../../server/assets.ts'
import { lockFolder } from '../../../server/store/folder-lock.ts'
import { openPostgres } from '../../../server/store/open-postgres.ts'
import { openStore } from '../../../server/store/store.ts'
import { fakeAgent, usualLimits } from '../../support/fake-agents.ts'

export interface RunnerProcessOptions {
  folder: string
  database?: string | undefined
  /** Names this process and its data folder. All of them have the same folder for their jobs. */
  name: string
  confinement: Confinement
}

const { folder, database, name, confinement } = JSON.parse(process.argv[2] as string) as RunnerProcessOptions
const store =
  database === undefined ? openStore(folder) : await openPostgres(database, { dataFolder: join(folder, name) })
const log = {
  info: () => {},
  warn: (details: object, message: string) => console.error(message, details),
  error: (details: object, message: string) => console.error(message, details),
}
startAgentRunner({
  ...{ agentRuns: store.agentRuns, agentSources: store.agentSources, now: Date.now, log },
  openCredential: () => ({ user: 'x', secret: 'x' }),
  settings: {
    ...{ agent: fakeAgent('ok'), confinement, endpoint: null, limits: usualLimits, check: undefined },
    ...{ jobsAtOnce: 3, perProject: 99 },
  },
  relay: describeProgram('agent/session/relay'),
  pageOf: async () => null,
  workFolders: join(folder, 'agents'),
  lockFolder,
  owner: `${name}-${process.pid}`,
  leaseMs: 1500,
})
console.log('started')
