import { parentPort, workerData } from 'node:worker_threads'
import { toLogReading } from '../analytics/envelopes/log-reading.ts'
import { checkFollowable } from '../analytics/follow/check-followable.ts'
import type { FollowStatus } from '../analytics/follow/follow-log.ts'
import { defaultPacing } from '../analytics/follow/follow-pacing.ts'
import { type FollowedLog, followPrefix } from '../analytics/follow/follow-settings.ts'
import { LogFormatError, nameFlag } from '../analytics/formats/log-format.ts'
import { getVisitedProjects, listProjectsByHost } from '../analytics/import/find-projects.ts'
import type { FollowedState } from '../base/measures.ts'
import { OperatorError } from '../base/operator-error.ts'
import { pause } from '../base/pause.ts'
import { openPostgres } from '../store/open-postgres.ts'
import { openStore, type Store } from '../store/store.ts'
import { followLog } from './follow-log.ts'
import type { FollowNews, FollowSetup } from './follow-logs.ts'

const firstPauseMs = 1000
const longestPauseMs = 60_000
const stateMs = 5000

const { dataFolder, database, visitorKeyFile, node, logs, graceMs, overlapMs, log, isMeasured } =
  workerData as FollowSetup
const stopping = new AbortController()
const { signal } = stopping
parentPort?.once('message', () => stopping.abort())

// Without an await at the top, because the single binary runs threads as CommonJS. A rejection ends the thread.
void followAll()

async function followAll(): Promise<void> {
  const store =
    database === undefined ? openStore(dataFolder) : await openPostgres(database, { dataFolder, visitorKeyFile, node })
  try {
    await Promise.all(logs.map(followed => followForever(store, followed)))
  } finally {
    await store.close()
  }
}

/** Follows one log until the server stops. An error delays only this log. */
async function followForever(store: Store, { file, projectId }: FollowedLog): Promise<void> {
  const about = { log: file, projectId }
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      const projects = await getVisitedProjects(store, projectId)
      const reading = toLogReading(log)
      await checkFollowable(file, { ...reading, projects })
      tell({ level: 'info', details: about, message: 'following a log' })
      await followLog({
        ...reading,
        file,
        projects: 'id' in projects ? projects : () => listProjectsByHost(store),
        visits: store.visits,
        signal,
        overlapMs,
        pacing: { ...defaultPacing, graceMs },
        warn: message => tell({ level: 'warn', details: about, message }),
        onStatus: isMeasured ? status => parentPort?.postMessage(toState(file, status)) : undefined,
        statusMs: stateMs,
      })
    } catch (error) {
      const next = signal.aborted
        ? 'the next start continues from the stored position'
        : `the next try is in ${pauseMs / 1000} s`
      tell({
        level: 'error',
        details: { ...about, err: toLogged(error) },
        message: `a log cannot be followed; ${next}`,
      })
      await pause(pauseMs, signal)
    }
  }
}

function toState(log: string, { tally, aheadBytes }: FollowStatus): FollowedState {
  const { human, ai } = tally.views
  return { log, lines: tally.lines, views: human + ai, unreadable: tally.malformed, aheadBytes }
}

/** Errors with a message for the operator are logged without a stack trace. */
function toLogged(error: unknown): unknown {
  if (error instanceof LogFormatError) return { message: nameFlag(error, followPrefix) }
  return error instanceof OperatorError ? { message: error.message } : error
}

function tell(news: FollowNews): void {
  parentPort?.postMessage(news)
}
