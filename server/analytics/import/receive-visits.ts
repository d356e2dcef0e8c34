import { escapeControls } from '../../base/escape-controls.ts'
import type { Projects } from '../../tenancy/project.ts'
import type { Sites } from '../../tenancy/site.ts'
import type { LogReading } from '../envelopes/log-reading.ts'
import type { VisitRecorder } from '../unique-visitors.ts'
import { checkDelivery, explainFormat, isIdentity } from './check-delivery.ts'
import { decompress, findCodec, findCodecOfEncoding, isDamage } from './decompress.ts'
import {
  DeliveryRefusedError,
  damaged,
  noSite,
  type ReceivedVisits,
  type SentDelivery,
  tooLarge,
  type UnreadableReason,
  type VisitsTarget,
} from './delivery.ts'
import { listProjectsByHost } from './find-projects.ts'
import { recordViews } from './import-log.ts'
import { type ImportTally, sum } from './import-tally.ts'
import { LogReader } from './log-reader.ts'
import { RecordUnpacker } from './unpack-records.ts'
import type { ProjectsByHost, VisitedProject } from './visited-projects.ts'

export interface DeliveryCounterOptions {
  store: { projects: Projects; sites: Sites; visits: Pick<VisitRecorder, 'recordBatch' | 'openVisitorKeys'> }
  /** The largest size of a delivery after decompression. */
  maxBytes: number
  /** The largest number of its lines, because a line that cannot be read takes 10 us, however short it is. */
  maxLines?: number
  /** Milliseconds since 1970. */
  now?: () => number
}

/** Readers that are kept, because most deliveries have the user agents, pages and visitors of the one before. */
const maxReaders = 8
/** How long a reader is kept. A visitor key that was deleted with the visits is used for so long at most. */
const readerMs = 10_000
const maxExampleBytes = 200
const usualLines = 1_000_000

interface OpenReader {
  reader: LogReader
  openedAt: number
  /** The first unreadable line of the current delivery, by its reason. */
  examples: Map<UnreadableReason, string>
}

/** Counts deliveries one after another. */
export class DeliveryCounter {
  readonly #options: DeliveryCounterOptions
  readonly #now: () => number
  /** By target and settings, the oldest first. */
  readonly #readers = new Map<string, OpenReader>()

  constructor(options: DeliveryCounterOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /**
   * Counts deliveries of one target with the same settings, in one commit if none is refused. See `VisitsReceiver.receive`; call it
   * again only when it has settled.
   *
   * @returns the result of each delivery, or its error
   */
  async countAll(deliveries: readonly SentDelivery[]): Promise<PromiseSettledResult<ReceivedVisits>[]> {
    try {
      const values = await this.#count(deliveries)
      return values.map(value => ({ status: 'fulfilled', value }))
    } catch (reason) {
      const isRefused = reason instanceof DeliveryRefusedError
      if (!isRefused || deliveries.length === 1) return deliveries.map(() => ({ status: 'rejected', reason }))
    }
    const results: PromiseSettledResult<ReceivedVisits>[] = []
    for (const delivery of deliveries) results.push(...(await this.countAll([delivery])))
    return results
  }

  async #count(deliveries: readonly SentDelivery[]): Promise<ReceivedVisits[]> {
    const [{ delivery }] = deliveries as [SentDelivery]
    const reading = checkDelivery(delivery)
    const projects = await this.#findProjects(delivery.target)
    const name = JSON.stringify([delivery.target, delivery.settings])
    try {
      const open = await this.#takeReader(name, projects, reading)
      return await this.#readAll(open, deliveries)
    } catch (error) {
      // It may hold views of these deliveries, which were not recorded.
      this.#readers.delete(name)
      throw explainFormat(error)
    }
  }

  async #findProjects(target: VisitsTarget): Promise<VisitedProject | ProjectsByHost> {
    const { store } = this.#options
    if ('projectId' in target) {
      const project = await store.projects.find(target.projectId)
      if (project) return project
      throw new DeliveryRefusedError('no-project', 'The project does not exist.')
    }
    const projects = await listProjectsByHost(store, target.organizationId)
    if (projects.size > 0) return projects
    throw noSite()
  }

  async #takeReader(name: string, projects: VisitedProject | ProjectsByHost, reading: LogReading): Promise<OpenReader> {
    const now = this.#now()
    for (const [key, { openedAt }] of this.#readers) {
      if (Math.abs(now - openedAt) > readerMs) this.#readers.delete(key)
    }
    const known = this.#readers.get(name)
    if (known) {
      known.reader.setProjects(projects)
      return known
    }
    const examples: OpenReader['examples'] = new Map()
    const reader = new LogReader({
      ...reading,
      projects,
      keys: await this.#options.store.visits.openVisitorKeys(this.#now),
      now,
      onUnreadable(reason, bytes, start, end) {
        if (!examples.has(reason)) examples.set(reason, showLine(bytes.subarray(start, end)))
      },
    })
    const [oldest] = this.#readers.keys()
    if (oldest !== undefined && this.#readers.size >= maxReaders) this.#readers.delete(oldest)
    const open = { reader, openedAt: now, examples }
    this.#readers.set(name, open)
    return open
  }

  async #readAll({ reader, examples }: OpenReader, deliveries: readonly SentDelivery[]): Promise<ReceivedVisits[]> {
    const { store, maxBytes } = this.#options
    const read: ReadLines[] = []
    let newViews = 0
    reader.setNow(this.#now())
    for (const { delivery, pieces } of deliveries) {
      const before = reader.tally
      examples.clear()
      newViews += await this.#read(reader, decode(delivery.encoding, pieces, maxBytes))
      read.push(summarize(before, reader.tally, examples))
    }
    const { tooOldViews } = reader.tally
    newViews += await recordViews(reader, store.visits)
    return share(read, newViews, reader.tally.tooOldViews - tooOldViews)
  }

  /** Reads a delivery, and returns the number of new views of what had to be recorded meanwhile. */
  async #read(reader: LogReader, chunks: AsyncIterable<Buffer>): Promise<number> {
    const { store, maxLines = usualLines } = this.#options
    const linesBefore = reader.lines
    reader.startFile()
    const records = new RecordUnpacker(bytes => reader.push(bytes))
    let newViews = 0
    for await (const chunk of chunks) {
      records.push(chunk)
      if (reader.lines - linesBefore > maxLines) throw tooLarge(`${maxLines} lines`)
      if (reader.isFull) newViews += await recordViews(reader, store.visits)
    }
    const damage = records.end()
    if (damage !== undefined) throw new DeliveryRefusedError('damaged', damage)
    reader.endFile()
    return newViews
  }
}

/** What was read from a delivery, before it was recorded. */
interface ReadLines extends Omit<ReceivedVisits, 'counted' | 'known'> {
  /** Page views of visitors that may be new. */
  visited: number
}

function summarize(
  before: ImportTally,
  after: ImportTally,
  examples: ReadonlyMap<UnreadableReason, string>,
): ReadLines {
  const reasons = Object.keys(after.malformed) as UnreadableReason[]
  const tooOld = after.tooOldViews - before.tooOldViews
  return {
    lines: after.lines - before.lines,
    visited: after.views.human + after.views.ai - before.views.human - before.views.ai - tooOld,
    tooOld,
    filtered: sum(after.filtered) + after.views.neither - sum(before.filtered) - before.views.neither,
    unreadable: reasons.flatMap(reason => {
      const count = after.malformed[reason] - before.malformed[reason]
      const example = examples.get(reason)
      return count === 0 ? [] : [{ reason, count, ...(example && { example }) }]
    }),
  }
}

/** Tells the deliveries that were recorded together which of their views are new: the first ones, as if they had come one by one. */
function share(read: readonly ReadLines[], newViews: number, tooOldViews: number): ReceivedVisits[] {
  let leftNew = newViews
  let leftTooOld = tooOldViews
  return read.map(({ visited, tooOld, ...lines }) => {
    const refused = Math.min(visited, leftTooOld)
    const counted = Math.min(visited - refused, leftNew)
    leftTooOld -= refused
    leftNew -= counted
    return { ...lines, counted, known: visited - refused - counted, tooOld: tooOld + refused }
  })
}

/** Shortens a line, and shows its control characters. */
function showLine(line: Buffer): string {
  const isLong = line.length > maxExampleBytes
  return `${escapeControls(line.toString('utf8', 0, maxExampleBytes))}${isLong ? '...' : ''}`
}

/** Decompresses a delivery. */
async function* decode(
  encoding: string | undefined,
  pieces: readonly Buffer[],
  maxBytes: number,
): AsyncGenerator<Buffer> {
  const [first] = pieces
  if (!first) return
  const codec = isIdentity(encoding) ? findCodec(first) : findCodecOfEncoding(encoding)
  const chunks = codec ? decompress(codec, toAsync(pieces)) : pieces
  let bytes = 0
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(`${maxBytes} bytes after decompression`)
      yield chunk
    }
  } catch (error) {
    if (!isDamage(error)) throw error
    throw damaged(`${codec?.name}`)
  }
}

async function* toAsync(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces
}
