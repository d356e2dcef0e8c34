// Imports a log as the command does, but in small batches, so that a kill leaves some recorded and others not.
import { importLog, recordViews } from '../../server/analytics/import/import-log.ts'
import { LogReader } from '../../server/analytics/import/log-reader.ts'
import { openPostgres } from '../../server/store/open-postgres.ts'
import { openStore } from '../../server/store/store.ts'

const [file = '', projectId = '', dataFolder = '', database] = process.argv.slice(2)
const store = database === undefined ? openStore(dataFolder) : await openPostgres(database, { dataFolder })
const project = await store.projects.find(projectId)
if (!project) throw new Error(`There is no project ${projectId}.`)
const keys = await store.visits.openVisitorKeys()
const reader = new LogReader({ projects: project, keys, now: Date.now(), viewsPerBatch: 6000 })
const { problem } = await importLog({ file, reader, visits: store.visits })
if (problem !== undefined) throw new Error(problem)
await recordViews(reader, store.visits)
await store.close()
