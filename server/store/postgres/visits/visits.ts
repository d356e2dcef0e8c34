import { hostname } from 'node:os'
import { CellChanges } from '../../../analytics/counters/cell-changes.ts'
import { groupLabels } from '../../../analytics/counters/label-sets.ts'
import { sortViews } from '../../../analytics/counters/sorted-views.ts'
import type { LogPosition, RecordedViews } from '../../../analytics/unique-visitors.ts'
import type { ViewBatch } from '../../../analytics/view-batch.ts'
import { visitorBytes } from '../../../analytics/visitor.ts'
import type { VisitorKeys } from '../../../analytics/visitor-keys.ts'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { OperatorError } from '../../../base/operator-error.ts'
import { fingerprintVisitorKey } from '../../key-fingerprints.ts'
import { readSharedKeys } from '../../shared-keys.ts'
import { countViews, dropDestroyed } from '../../visits/kept-views.ts'
import type { StoredVisits } from '../../visits/stored-visits.ts'
import { openVisitorKey } from '../../visits/visitor-key.ts'
import { createVisitorKeys, isRotating } from '../../visits/visitor-keys.ts'
import type { Database } from '../database.ts'
import { statement } from '../statement.ts'
import { addVisits } from './add-visits.ts'
import { destroyPeriodKeys, listDerivedIds, listDestroyedDays } from './period-keys.ts'
import { deleteProjectVisits, deleteVisits, pruneVisits } from './prune-visits.ts'
import { deleteDaysOf } from './seen-deletion.ts'
import { addLabels } from './seen-labels.ts'
import { applyChanges } from './visit-counters.ts'
import { takePages } from './visit-pages.ts'
import { openVisitReader } from './visit-reader.ts'
import { changeRevision, changeVisits, findVisited, type VisitedProject } from './visited-projects.ts'
import { openKeyThread } from './visitor-key-thread.ts'

export interface PostgresVisitsOptions {
  /** The address of the database. */
  url: string
  /** The file of the visitor key, which is the same on all nodes. Without it, visits can only be read. */
  keyFile?: string | undefined
  /** Whether the operator made the file, so that it is only read. */
  isKeyGiven?: boolean | undefined
  /** The name of this node among those that follow logs. */
  node?: string | undefined
}

const missingKeyRemedy = 'Copy it from the data folder that counted first, or name a copy with --visitor-key-file.'

const findFingerprint = statement<object, { fingerprint: Buffer }>('SELECT fingerprint FROM visitor_secret')
const insertFingerprint = statement<{ fingerprint: Uint8Array }>(
  'INSERT INTO visitor_secret (id, fingerprint) VALUES (1, @fingerprint) ON CONFLICT (id) DO NOTHING',
  { isRepeatable: true },
)

/** Opens the visits of a database. The caller closes it. */
export function openPostgresVisits(database: Database, options: PostgresVisitsOptions) {
  const { url, keyFile, isKeyGiven, node = hostname() } = options
  const { countAtRevision, ...reader } = openVisitReader(database)
  const keyThread = openKeyThread(url)

  /** @throws {OperatorError} if another key was used before. */
  async function openKey(): Promise<Uint8Array> {
    if (keyFile === undefined) throw new OperatorError('No file of the visitor key is given.')
    const known = await database.get(findFingerprint, {})
    const key = isKeyGiven
      ? readSharedKeys('--visitor-key-file', keyFile)[0]
      : openVisitorKey(keyFile, known !== undefined, missingKeyRemedy)
    const fingerprint = fingerprintVisitorKey(key)
    if (!known) await database.run(insertFingerprint, { fingerprint })
    const used = known ?? (await database.get(findFingerprint, {}))
    if (used?.fingerprint.equals(fingerprint)) return key
    throw new OperatorError(
      `${keyFile} is another key than the one that visitors were counted with. A second key would count all of them again. ` +
        'Give this server the key of the one that counted first, with --visitor-key-file or as visitor.key in the data folder.',
    )
  }

  async function openVisitorKeys(now = Date.now): Promise<VisitorKeys> {
    const derived = await listDerivedIds(database)
    return createVisitorKeys({
      secret: await openKey(),
      takeKeys: projectId => ({ take: (period, at) => keyThread.take({ projectId, period, now: at }) }),
      findKeys: projectId => ({ hasDerived: () => derived.has(projectId) }),
      now,
    })
  }

  return {
    ...reader,
    countAtRevision,
    async countUniqueVisitors(projectId, range, page) {
      const { totals, visitors, hasMore } = await countAtRevision(projectId, range, page)
      return { totals, visitors, hasMore }
    },
    recordBatch: openBatchRecorder(database, node),
    recordLogPosition: position => putLogPosition(database, noProject, node, position),
    async findLogPosition(projectId, log) {
      if (projectId === undefined) return findLogPosition(database, noProject, node, log)
      const project = await findVisited(database, projectId)
      return project && findLogPosition(database, project.key, node, log)
    },
    pruneSeen: (projectId, before) => pruneVisits(database, projectId, before),
    deleteVisits: projectId => deleteVisits(database, projectId),
    deleteFile: projectId => deleteProjectVisits(database, projectId),
    destroyKeys: async ({ id, visitorSaltRotation: rotation }, options) =>
      isRotating(rotation) ? destroyPeriodKeys(database, id, rotation, options) : { keys: 0, visitorDays: 0 },
    listLost: () => [],
    openVisitorKey: openKey,
    openVisitorKeys,
    close: () => keyThread.close(),
  } satisfies StoredVisits & Record<string, unknown>
}

const maxKnownPages = 50_000
const maxKnownProjects = 32

/**
 * Does not wait for the disk: a power cut may lose the last batches together with the log position, so they are read again. Batches that
 * wait for the disk later make the earlier ones safe too.
 */
const lazily = 'SET LOCAL synchronous_commit = off'

type KnownPages = BoundedCache<string, { number: number; id: number }>

/** Records batches of views, each in one transaction. */
function openBatchRecorder(database: Database, node: string) {
  /** Recent pages by the key of their project. */
  const known = new BoundedCache<number, KnownPages>(maxKnownProjects)

  return (projectId: string, given: ViewBatch, position?: LogPosition): Promise<RecordedViews> =>
    changeVisits(database, projectId, async (within, project) => {
      if (position) await within.exec(lazily)
      const pagesBefore = known.get(project.key) ?? new BoundedCache(maxKnownPages)
      const { pages, ...recorded } = await recordWithin(within, project, given, pagesBefore)
      if (position) await putLogPosition(within, project.key, node, position)
      // If the transaction is undone, the new pages are not known.
      return { ...recorded, pages, project }
    }).then(({ pages, project, ...recorded }) => {
      const pagesNow: KnownPages = known.get(project.key) ?? new BoundedCache(maxKnownPages)
      for (const [path, page] of pages) pagesNow.set(path, page)
      known.set(project.key, pagesNow)
      return recorded
    })
}

async function recordWithin(within: Database, project: VisitedProject, given: ViewBatch, known: KnownPages) {
  const { key, keptFrom } = project
  const batch = dropDestroyed(given, await listDestroyedDays(within, key))
  if (project.deletedBefore < keptFrom) {
    const isDeleted = (day: number) => day < keptFrom
    await deleteDaysOf(within, key, listVisitors(batch), { before: keptFrom, isDeleted })
  }
  const pages = await takePages(within, key, batch.paths, known)
  const changes = new CellChanges()
  const added = await addVisits(within, key, changes, sortViews(batch, pages.numbers, keptFrom))
  const idOf = (page: number) => pages.ids.get(page) as number
  if (await applyChanges(within, key, changes, idOf)) await changeRevision(within, project)
  await addLabels(within, key, groupLabels(batch, keptFrom))
  return { ...added, tooOldViews: countViews(given) - countViews(batch, keptFrom), pages: pages.found }
}

function* listVisitors({ visitors }: ViewBatch): Generator<Uint8Array> {
  for (let at = 0; at < visitors.length; at += visitorBytes) yield visitors.subarray(at, at + visitorBytes)
}

/** Stands for the project of a log that has visits of several projects. */
const noProject = 0

interface PositionKey {
  project: number
  node: string
  log: string
}

const findPosition = statement<PositionKey, { position: string }>(
  'SELECT position FROM log_positions WHERE project_key = @project AND node = @node AND log = @log',
)
const upsertPosition = statement<PositionKey & LogPosition>(
  `INSERT INTO log_positions (project_key, node, log, position) VALUES (@project, @node, @log, @position)
   ON CONFLICT (project_key, node, log) DO UPDATE SET position = excluded.position`,
  { isRepeatable: true },
)

async function findLogPosition(
  database: Database,
  project: number,
  node: string,
  log: string,
): Promise<string | undefined> {
  return (await database.get(findPosition, { project, node, log }))?.position
}

async function putLogPosition(database: Database, project: number, node: string, position: LogPosition): Promise<void> {
  await database.run(upsertPosition, { project, node, ...position })
}
