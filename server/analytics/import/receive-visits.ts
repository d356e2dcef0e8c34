import { escapeControls } from '../../base/escape-controls.ts'
import type { Projects } from '../../tenancy/project.ts'
import type { Sites } from '../../tenancy/site.ts'
import type { LogReading } from '../envelopes/log-settings.ts'
import type { VisitRecorder } from '../unique-visitors.ts'
import { decompress, findCodec, findCodecOfEncoding, isDamage } from './decompress.ts'
import {
  checkDelivery,
  type Delivery,
  DeliveryRefusedError,
  explainFormat,
  isIdentity,
  type ReceivedVisits,
  type VisitsTarget,
} from './delivery.ts'
import { listProjectsByHost } from './find-projects.ts'
import { recordViews } from './import-log.ts'
import { type ImportTally, sum, type UnreadableReason } from './import-tally.ts'
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

  /** See `VisitsReceiver.receive`; call it again only when it has settled. */
  async count(delivery: Delivery, pieces: readonly Buffer[]): Promise<ReceivedVisits> {
    const reading = checkDelivery(delivery)
    const projects = await this.#findProjects(delivery.target)
    const name = JSON.stringify([delivery.target, delivery.settings])
    try {
      const open = await this.#takeReader(name, projects, reading)
      return await this.#read(open, decode(delivery.encoding, pieces, this.#options.maxBytes))
    } catch (error) {
      // It may hold views of this delivery, which were not recorded.
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
    throw new DeliveryRefusedError(
      'no-site',
      'The organization has no site, so hosts cannot be matched. Register the site, or name a project.',
    )
  }

  async #takeReader(name: string, projects: VisitedProject | ProjectsByHost, reading: LogReading): Promise<OpenReader> {
    const now = this.#now()
    for (const [key, { openedAt }] of this.#readers) {
      if (Math.abs(now - openedAt) > readerMs) this.#readers.delete(key)
    }
    const known = this.#readers.get(name)
    if (known) {
      known.examples.clear()
      if (!('id' in projects)) known.reader.setProjects(projects)
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

  async #read({ reader, examples }: OpenReader, chunks: AsyncIterable<Buffer>): Promise<ReceivedVisits> {
    const { store, maxLines = usualLines } = this.#options
    const { visits } = store
    reader.setNow(this.#now())
    reader.startFile()
    const before = reader.tally
    const records = new RecordUnpacker(bytes => reader.push(bytes))
    let newViews = 0
    for await (const chunk of chunks) {
      records.push(chunk)
      if (reader.lines - before.lines > maxLines) throw tooLarge(`${maxLines} lines`)
      if (reader.isFull) newViews += await recordViews(reader, visits)
    }
    const damage = records.end()
    if (damage !== undefined) throw new DeliveryRefusedError('damaged', damage)
    reader.endFile()
    newViews += await recordViews(reader, visits)
    return summarize(before, reader.tally, newViews, examples)
  }
}

function summarize(
  before: ImportTally,
  after: ImportTally,
  newViews: number,
  examples: ReadonlyMap<UnreadableReason, string>,
): ReceivedVisits {
  const reasons = Object.keys(after.malformed) as UnreadableReason[]
  const visited = after.views.human + after.views.ai - before.views.human - before.views.ai
  const tooOld = after.tooOldViews - before.tooOldViews
  return {
    lines: after.lines - before.lines,
    counted: newViews,
    known: visited - tooOld - newViews,
    tooOld,
    filtered: sum(after.filtered) + after.views.neither - sum(before.filtered) - before.views.neither,
    unreadable: reasons.flatMap(reason => {
      const count = after.malformed[reason] - before.malformed[reason]
      const example = examples.get(reason)
      return count === 0 ? [] : [{ reason, count, ...(example && { example }) }]
    }),
  }
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
    throw new DeliveryRefusedError('damaged', `The ${codec?.name} data is cut off or damaged.`)
  }
}

function tooLarge(size: string): DeliveryRefusedError {
  return new DeliveryRefusedError('too-large', `The delivery has over ${size}. Send fewer lines at once.`)
}

async function* toAsync(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces
}
