import { OperatorError } from '../../base/operator-error.ts'
import { pause } from '../../base/pause.ts'
import { importLog } from '../import/import-log.ts'
import { type LogBucket, type LogObject, LogObjectError } from '../import/log-bucket.ts'
import { LogReader } from '../import/log-reader.ts'
import { BatchWriter } from './batch-writer.ts'
import { BucketPosition } from './bucket-position.ts'
import { createDueCheck, type FollowOptions, type FollowStatus } from './follow-log.ts'
import { defaultPacing } from './follow-pacing.ts'
import { LogJudge } from './log-judge.ts'
import { createFormatWarning, isAllUnread } from './unread-log.ts'

/** Pause between two listings, which cost money. */
const listingPauseMs = 60_000

export interface FollowBucketOptions extends Omit<FollowOptions, 'pacing'> {
  bucket: LogBucket
  /** For how long after the time in its key an object may arrive. */
  overlapMs: number
  pollMs?: number
}

/**
 * Counts the objects of a bucket and those that arrive later, each once. The position is stored in the transaction of the
 * last counts before it. After a crash, the objects since the last position are read again, and no visit counts twice.
 *
 * @throws {OperatorError} with `once`, when the bucket cannot be listed or an object cannot be read; see also `followAccessLog`.
 */
export async function followBucket(options: FollowBucketOptions): Promise<FollowStatus> {
  const { pollMs = listingPauseMs, signal, once, warn } = options
  const { readAll, measure } = await openRun(options)
  let lastProblem: string | undefined
  while (!signal.aborted) {
    const problem = await readAll()
    if (problem !== undefined && once) throw new OperatorError(problem)
    if (problem !== undefined && problem !== lastProblem) warn(`${problem} Retrying every ${pollMs / 1000} s.`)
    lastProblem = problem
    if (once) break
    await pause(pollMs, signal)
  }
  return measure()
}

async function openRun(options: FollowBucketOptions) {
  const { file: log, bucket, projects, visits, signal, warn, onStatus, now = Date.now } = options
  const listProjects = typeof projects === 'function' ? projects : undefined
  const visited = typeof projects === 'function' ? await projects() : projects
  const keys = await visits.openVisitorKeys(now)
  const reader = new LogReader({ ...options, projects: visited, keys, now: now() })
  const writer = new BatchWriter({ projectId: 'id' in visited ? visited.id : undefined, log, visits, signal, warn })
  const position = new BucketPosition(await writer.findPosition(), options.overlapMs)
  const judge = new LogJudge(log, warn)
  const count = createObjectCounter(options, { reader, writer, judge })
  const isStatusDue = createDueCheck(options.statusMs ?? defaultPacing.pollMs)
  const isFlushDue = createDueCheck(defaultPacing.flushMs)

  function measure(): FollowStatus {
    const { tally, unknownHosts } = reader
    return { tally, unknownHosts, aheadBytes: undefined, suspicions: judge.suspicions }
  }

  async function flush(): Promise<void> {
    const batches = reader.takeBatches()
    // As in a followed file: a run with the right format can read the objects again.
    const isDue = position.isChanged || batches.length > 0
    if (isDue && !isAllUnread(reader.tally)) await writer.write(batches, position.format())
  }

  /** Reads all objects that are not counted. Returns why not all could be read. */
  async function readAll(): Promise<string | undefined> {
    let problem: string | undefined
    if (listProjects) reader.setProjects(await listProjects())
    position.startRound()
    try {
      for await (const object of listFrom(bucket, position)) {
        if (signal.aborted) break
        if (!position.isCounted(object)) {
          const loss = await count(object)
          if (loss === undefined) position.add(object)
          else problem = loss
          if (onStatus && isStatusDue()) onStatus(measure())
        }
        position.pass(object, now())
        if (isFlushDue() || reader.isFull) await flush()
      }
      if (!signal.aborted) position.endRound()
    } catch (error) {
      if (signal.aborted || !(error instanceof OperatorError)) throw error
      problem = error.message
    }
    await flush()
    return problem
  }

  return { readAll, measure }
}

/** Lists the objects without those that the position skips. */
async function* listFrom(bucket: LogBucket, position: BucketPosition): AsyncGenerator<LogObject> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const objects = bucket.list(after)
    after = undefined
    for await (const object of objects) {
      after = position.findEnd(object)
      if (after !== undefined) break
      yield object
    }
  }
}

interface CounterParts {
  reader: LogReader
  writer: BatchWriter
  judge: LogJudge
}

/** Returns a function that reads an object, and returns why it must be read again; undefined = it is counted. */
function createObjectCounter(
  { file, bucket, warn, now = Date.now }: FollowBucketOptions,
  { reader, writer, judge }: CounterParts,
) {
  // When the reader is full within an object, its views are written without a position.
  const visits = { recordBatch: writer.record.bind(writer) }
  const warnOfFormat = createFormatWarning(file, warn)
  return async (object: LogObject): Promise<string | undefined> => {
    let isLost = false
    async function* read() {
      try {
        yield* bucket.read(object)
      } catch (error) {
        isLost = error instanceof LogObjectError && !error.isLasting
        throw error
      }
    }
    reader.setNow(now())
    const source = { sizeBytes: object.sizeBytes, read }
    const { problem } = await importLog({ file: bucket.nameOf(object), source, reader, visits })
    if (isLost) return problem
    if (problem !== undefined) warn(`${problem} The lines before are counted. If it is replaced, it is read again.`)
    warnOfFormat(reader.tally)
    if (!isAllUnread(reader.tally)) judge.judge(reader)
    return undefined
  }
}
