// Writes to a data folder as the server and its commands do, about 500 times a second, until it is killed. Prints a JSON line
// for each write after it was acknowledged; for a deletion, before it begins.
//
//   node test/e2e/backup-load.ts DATA_FOLDER PROJECT_ID ...
import { setTimeout } from 'node:timers/promises'
import { openStore } from '../../server/store/store.ts'
import { addExport, addVisitor, deleteExport, digest, openMain, projectId } from '../store/backup/data-folder.ts'
import { createRandomBytes } from '../support/random.ts'
import { followedLog, type Written } from './backup-load-kinds.ts'

const writesPerTick = 5
const tickMs = 10

const [dataFolder = '', ...projects] = process.argv.slice(2)
const store = openStore(dataFolder)
const main = openMain(dataFolder)
main.pragma('synchronous = FULL')
main.pragma('foreign_keys = ON')
const exports: string[] = []
const print = (written: Written) => process.stdout.write(`${JSON.stringify(written)}\n`)

let count = 0
let visitors = 0
for (let nextAt = performance.now(); ; nextAt += tickMs) {
  for (let i = 0; i < writesPerTick; i++) await write(count++)
  await setTimeout(Math.max(0, nextAt + tickMs - performance.now()))
}

async function write(number: number): Promise<void> {
  const kind = number % 10
  if (kind < 5) return writeAgentJob(`aj_load_${number}`)
  if (kind < 7) return writeVisitor(projects[number % projects.length] ?? projectId, number)
  if (kind === 7) return writePosition()
  if (kind === 8) return writeExport(`se_${number.toString(16).padStart(16, '0')}`)
  if (exports.length > 20) deleteOldExport()
}

async function writeAgentJob(id: string): Promise<void> {
  const source = { repository: 'https://git.example.com/acme/docs', ref: null }
  const job = { projectId, id, source, model: 'writer-2', prLink: null, createdAt: Date.now(), archivedAt: null }
  await store.agentJobs.insert({ ...job, status: 'active' })
  print({ kind: 'agent-job', id })
}

async function writeVisitor(project: string, number: number): Promise<void> {
  await addVisitor(store, number, project)
  print({ kind: 'visitor', project })
}

/** As a followed log of several sites: first the visits, then the position. */
async function writePosition(): Promise<void> {
  visitors++
  await addVisitor(store, visitors, 'prj_followed')
  await store.visits.recordLogPosition({ log: followedLog, position: String(visitors) })
  print({ kind: 'position', visitors })
}

function writeExport(id: string): void {
  const content = createRandomBytes(id, 50_000)
  addExport(dataFolder, id, content, main)
  exports.push(id)
  print({ kind: 'export', id, sha256: digest(content) })
}

function deleteOldExport(): void {
  const id = exports.shift() as string
  print({ kind: 'deletion', id })
  deleteExport(dataFolder, id, main)
}
