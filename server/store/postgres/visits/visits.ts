import { hostname } from 'node:os'
import type { VisitorKeys } from '../../../analytics/visitor-keys.ts'
import { OperatorError } from '../../../base/operator-error.ts'
import { fingerprintVisitorKey } from '../../key-fingerprints.ts'
import { readSharedKeys } from '../../shared-keys.ts'
import type { StoredVisits } from '../../visits/stored-visits.ts'
import { openVisitorKey } from '../../visits/visitor-key.ts'
import { createVisitorKeys, isRotating } from '../../visits/visitor-keys.ts'
import type { Database } from '../database.ts'
import { statement } from '../statement.ts'
import { findLogPosition, noProject, putLogPosition } from './log-positions.ts'
import { destroyPeriodKeys, listDerivedIds } from './period-keys.ts'
import { deleteProjectVisits, deleteVisits, pruneVisits } from './prune-visits.ts'
import { openBatchRecorder } from './record-batch.ts'
import { openVisitReader } from './visit-reader.ts'
import { findVisited } from './visited-projects.ts'
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
