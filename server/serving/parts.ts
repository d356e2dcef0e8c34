import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Background, Stoppable } from '../base/background.ts'
import { makeFolder } from '../base/make-folder.ts'
import { endedStatements } from '../base/measures.ts'
import type { Config } from '../config.ts'
import type { BundleStore } from '../export/jobs/bundle-store.ts'
import type { LostFolder } from '../export/jobs/lost-folder.ts'
import { recoverLost } from '../export/jobs/strays.ts'
import { createWorkBoard, type WorkBoard } from '../export/jobs/work-board.ts'
import { isListedByOthers, protectDataFolder, protectFiles } from '../store/data-folder.ts'
import { openLostFolder } from '../store/lost-files.ts'
import { checkBundles, openBundles } from '../store/open-bundles.ts'
import { openPostgres } from '../store/open-postgres.ts'
import { privateFolder } from '../store/private-files.ts'
import { openServingStore } from '../store/serving-store.ts'
import type { Store } from '../store/store.ts'
import { explainLoss } from '../store/visits/visit-database.ts'

/** Objects that several parts of the server use. */
export interface Parts {
  config: Config
  dataFolder: string
  store: Store
  bundles: BundleStore
  lost: LostFolder
  workBoard: WorkBoard
  log: Logger
}

/**
 * Opens what the server stores, and prepares the files in the data folder. The background closes it.
 *
 * @throws {OperatorError} when something cannot be used.
 */
export async function openParts(config: Config, log: Logger, background: Background): Promise<Parts> {
  const dataFolder = resolve(config.dataFolder)
  if (config.slowMs !== null) background.add(logSlowStatements(config.slowMs, log))
  const store = await openServersStore(config, log)
  background.add({ stop: store.close })
  await checkFollow(config, store)
  const lost = openLostFolder(dataFolder)
  const warn = (details: object, message: string) => log.error(details, message)
  const { noteDamage } = store.exportJobs
  const opened = await openBundles({ dataFolder, location: config.bundles, report: warn, noteDamage })
  const { bundles } = background.add(opened)
  await checkBundles(opened, log)
  const parts: Parts = { config, dataFolder, store, bundles, lost, workBoard: createWorkBoard(), log }
  await prepareFiles(parts)
  return parts
}

/** Opens SQLite in the data folder, or PostgreSQL. Then the data folder is for the scratch files, caches and keys of this machine. */
async function openServersStore(config: Config, log: Logger): Promise<Store> {
  const { database, visitorKeyFile } = config
  const dataFolder = resolve(config.dataFolder)
  if (database === undefined) return openServingStore(dataFolder)
  makeFolder(dataFolder, privateFolder)
  protectDataFolder(dataFolder)
  const onLost = (error: Error) => log.warn({ err: error }, 'a connection to the database ended')
  return openPostgres(database, { dataFolder, visitorKeyFile, onLost })
}

const maxStatementCharacters = 200

/** Values are not part of a statement, so none gets into the log. */
function logSlowStatements(slowMs: number, log: Logger): Stoppable {
  const stop = endedStatements.listen(({ text, ms }) => {
    if (ms < slowMs) return
    const statement = text.replaceAll(/\s+/g, ' ').trim().slice(0, maxStatementCharacters)
    log.warn({ statement, durationMs: Math.round(ms * 10) / 10 }, 'slow statement')
  })
  return { stop }
}

/** Most servers follow no log, and do not load what reads one. */
async function checkFollow({ follow, database }: Config, store: Store): Promise<void> {
  if (follow.logs.length === 0) return
  const { checkFollowSettings } = await import('../workers/check-follow.ts')
  await checkFollowSettings(follow, store)
  // Another server may have counted first. With SQLite, a lost key must not keep a server from answering.
  if (database !== undefined) await store.visits.openVisitorKey()
}

/** Makes files of earlier versions private, takes back bundles that a restored database knows, and reports lost visits. */
async function prepareFiles({ dataFolder, store, bundles, lost, log }: Parts): Promise<void> {
  await protectFiles(dataFolder)
  if (isListedByOthers(dataFolder)) {
    log.warn({ dataFolder }, 'other users can list the data folder; give it to the user of the server with mode 0700')
  }
  await recoverLost({ exportJobs: store.exportJobs, bundles, lost, log })
  for (const { projectId, file, problem } of await store.visits.listLost()) {
    log.error(
      { projectId, file },
      `the file of the visits of a project is unusable: ${explainLoss(projectId, problem)}`,
    )
  }
}
