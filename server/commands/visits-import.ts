import { Command } from 'commander'
import { type LogReading, toLogReading } from '../analytics/envelopes/log-reading.ts'
import { formats } from '../analytics/formats/formats.ts'
import { LogFormatError } from '../analytics/formats/log-format.ts'
import { getVisitedProjects } from '../analytics/import/find-projects.ts'
import { HeldVisits } from '../analytics/import/held-visits.ts'
import { type ImportedFile, type ImportProgress, importLog, recordViews } from '../analytics/import/import-log.ts'
import { isBucketAddress, type LogBucket } from '../analytics/import/log-bucket.ts'
import { checkLogFile, type LogSource } from '../analytics/import/log-file.ts'
import { LogReader } from '../analytics/import/log-reader.ts'
import type { VisitRecorder } from '../analytics/unique-visitors.ts'
import { OperatorError } from '../base/operator-error.ts'
import {
  bucketHelp,
  logHelp,
  logSettings,
  readLogFlags,
  readVisited,
  strict,
  strictHelp,
  visitedSettings,
} from '../flags/log-settings.ts'
import { addSettings, type FlagsOf } from '../flags/setting.ts'
import { visitorsSettings } from '../flags/shared-settings.ts'
import { openS3Logs } from '../store/s3/s3-logs.ts'
import type { Store } from '../store/store.ts'
import { printJson, showCount } from './print.ts'
import { describe, type ImportSummary, summarize } from './visits-import-summary.ts'
import { printWarnings } from './visits-warnings.ts'
import { withExistingStore } from './with-store.ts'

type BatchRecorder = Pick<VisitRecorder, 'recordBatch'>

const settings = { ...visitedSettings, ...logSettings, strict, ...visitorsSettings }

type ImportFlags = FlagsOf<typeof settings>

/** The result of an import. */
interface Imported {
  summary: ImportSummary
  files: ImportedFile[]
}

export function visitsImportCommand(): Command {
  const command = new Command('import')
    .argument('<files...>')
    .description(
      'count the visits in access logs (plain, .gz or .zst; .xz and .bz2 if these programs are installed); "-" reads standard input',
    )
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire visits import /var/log/nginx/access.log --project Documentation
  npx quire visits import /var/log/nginx/access.log* --project Documentation --json
  npx quire visits import /var/log/caddy/access.log --by-host
  npx quire visits import s3://my-logs/cloudfront/E2EXAMPLE. --project Documentation
  npx quire visits import /var/log/caddy/access.log --by-host --client-field X-Forwarded-For --trusted-proxies 1
  tail -n 1000 data/demo-access.log | npx quire visits import - --project Documentation

A page view is a GET of a page with 2xx or 304. A visitor is a keyed hash of address and user agent; neither is stored.
You can import the same log again, even if it has grown: nothing is counted twice. Malformed lines are counted and skipped.

${bucketHelp}

${strictHelp}
The views are held in memory until all logs are judged. Logs with over four million views are read twice instead, which a pipe
does not allow: there the command fails and records nothing.

${logHelp}`,
    )
    .action(async (files: string[], flags: ImportFlags) => {
      const projectId = readVisited(command, flags)
      const reading = toLogReading(readLogFlags(flags))
      const { strict: isStrict = false } = flags
      const imported = await withExistingStore(flags, store =>
        importFiles(store, projectId, files, { ...reading, isStrict }),
      )
      if (flags.json) printJson(imported.summary)
      else console.log(describe(imported.summary))
      printWarnings(imported.files)
      failOnProblems(imported, reading, isStrict)
    })
}

/** @param projectId undefined = by host */
async function importFiles(
  store: Store,
  projectId: string | undefined,
  files: string[],
  { isStrict, ...settings }: LogReading & { isStrict: boolean },
): Promise<Imported> {
  if (files.filter(file => file === '-').length > 1) throw new OperatorError('- can only be given once.', 2)
  const projects = await getVisitedProjects(store, projectId)
  const startedAt = performance.now()
  const buckets = new Map<string, LogBucket>()
  try {
    // Checked before the first import, so that a misspelt name does not leave a partial import.
    let canReadAgain = true
    for (const file of files) {
      if (isBucketAddress(file)) buckets.set(file, await openS3Logs(file))
      else if ((await checkLogFile(file)) === undefined) canReadAgain = false
    }
    for (const [file, bucket] of buckets) {
      const { done } = await bucket.list('')[Symbol.asyncIterator]().next()
      if (done) throw new OperatorError(`There are no logs below ${file}. Check the prefix.`)
    }
    const logs = () => listLogs(files, buckets)
    const { visits } = store
    const keys = await visits.openVisitorKeys()
    const open = () => new LogReader({ ...settings, projects, keys, now: Date.now() })
    const { reader, imported, isRecorded } = isStrict
      ? await readStrictly(logs, open, visits, canReadAgain)
      : { ...(await readAll(logs, open(), visits)), isRecorded: true }
    const seconds = Math.round(performance.now() - startedAt) / 1000
    const summary = await summarize(reader, imported, seconds, isRecorded ? visits : undefined)
    return { summary, files: imported }
  } catch (error) {
    throw explain(error)
  } finally {
    for (const bucket of buckets.values()) bucket.close()
  }
}

interface ListedLog {
  file: string
  source?: LogSource
}

type ListLogs = () => AsyncIterable<ListedLog>

/** Lists the files, and the objects of each bucket while they are read. */
async function* listLogs(files: string[], buckets: ReadonlyMap<string, LogBucket>): AsyncGenerator<ListedLog> {
  for (const file of files) {
    const bucket = buckets.get(file)
    if (!bucket) {
      yield { file }
      continue
    }
    for await (const object of bucket.list('')) {
      yield { file: bucket.nameOf(object), source: { ...object, read: () => bucket.read(object) } }
    }
  }
}

interface ReadFiles {
  reader: LogReader
  imported: ImportedFile[]
}

/** Reads the files, and records their views only when no file is suspicious, unread or damaged. */
async function readStrictly(
  files: ListLogs,
  open: () => LogReader,
  visits: BatchRecorder,
  canReadAgain: boolean,
): Promise<ReadFiles & { isRecorded: boolean }> {
  const held = new HeldVisits({ mustHold: !canReadAgain })
  const { reader, imported } = await readAll(files, open(), held)
  if (imported.some(isDoubtful)) return { reader, imported, isRecorded: false }
  if (!held.isComplete) return { ...(await readAll(files, open(), visits)), isRecorded: true }
  await held.record(reader, visits)
  return { reader, imported, isRecorded: true }
}

function isDoubtful({ lines, suspicions, isUnread, missingFields, problem }: ImportedFile): boolean {
  return suspicions.length > 0 || isUnread || (lines > 0 && missingFields !== undefined) || problem !== undefined
}

async function readAll(files: ListLogs, reader: LogReader, visits: BatchRecorder): Promise<ReadFiles> {
  return { reader, imported: await readFiles(files, reader, visits) }
}

async function readFiles(files: ListLogs, reader: LogReader, visits: BatchRecorder): Promise<ImportedFile[]> {
  const imported: ImportedFile[] = []
  try {
    for await (const { file, source } of files()) {
      const progress = createProgressLine(file)
      try {
        imported.push(await importLog({ file, source, reader, visits, onProgress: progress.show }))
      } finally {
        progress.clear()
      }
    }
  } catch (error) {
    if (!(error instanceof LogFormatError)) throw error
    // The flags are valid, because earlier files were read with them; this file does not match them.
    await recordViews(reader, visits)
    throw new OperatorError(error.message)
  }
  await recordViews(reader, visits)
  return imported
}

function explain(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (!code?.startsWith('SQLITE_')) return error
  return new OperatorError(
    `The visits cannot be written to the database: ${message} (${code}). Imported lines stay. Solve the problem and import again: nothing is counted twice.`,
  )
}

function failOnProblems({ summary, files }: Imported, { format }: LogReading, isStrict: boolean): void {
  const lacking = files.filter(({ lines, missingFields }) => lines > 0 && missingFields)
  const incomplete = files.flatMap(({ problem }) => problem ?? [])
  const isPartlyImported = summary.recorded && files.some(({ problem, lines }) => problem !== undefined && lines > 0)
  const unreadable = files.filter(({ isUnread }) => isUnread)
  const problems = [
    ...unreadable.map(
      ({ file, lines }) =>
        `${file}: none of ${lines} lines is in ${format ? `format ${format.name}` : 'a known format'}.`,
    ),
    ...lacking.map(({ file, missingFields }) => `${file}: the lines lack ${missingFields?.join(', ')}.`),
    ...(lacking.length > 0 && format?.name === 'json' ? ['Check --json-fields.'] : []),
    ...(unreadable.length > 0
      ? [`Formats: ${formats.map(({ name }) => name).join(', ')}, json. See --format in --help.`]
      : []),
    ...incomplete,
    ...(isPartlyImported
      ? ['The lines before the damage are imported. Import the whole file when you have it: nothing is counted twice.']
      : []),
    ...(isStrict && files.some(isDoubtful) ? [describeRefusal(summary)] : []),
  ]
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
}

function describeRefusal({ recorded }: ImportSummary): string {
  return recorded
    ? 'The logs changed while they were read, and their visits are recorded. Check the warnings.'
    : 'Nothing was recorded, because of --strict.'
}

const progressEveryMs = 200
/** Also small logs take their turn. */
let showNextAt = performance.now() + progressEveryMs

/** Shows the progress of one file on standard error, if that is a terminal. */
function createProgressLine(file: string): { show(progress: ImportProgress): void; clear(): void } {
  if (!process.stderr.isTTY) return { show() {}, clear() {} }
  const startedAt = performance.now()
  return {
    show(progress) {
      const now = performance.now()
      if (now < showNextAt) return
      showNextAt = now + progressEveryMs
      process.stderr.write(`\r\x1b[K${file}: ${describeProgress(progress, (now - startedAt) / 1000)}`)
    },
    clear() {
      process.stderr.write('\r\x1b[K')
    },
  }
}

/** `1,234,567 lines, 400,000 lines/s, 123.4 MB of 500.0 MB, 9 s left` */
export function describeProgress({ lines, readBytes, sizeBytes }: ImportProgress, seconds: number): string {
  const perSecond = Math.round(lines / Math.max(seconds, 0.001))
  const read = `${showCount(lines)} lines, ${showCount(perSecond)} lines/s, ${toMegabytes(readBytes)}`
  if (!sizeBytes || readBytes === 0) return read
  // A log that is being written may have grown beyond the size.
  const left = Math.max(0, Math.ceil(((sizeBytes - readBytes) / readBytes) * seconds))
  return `${read} of ${toMegabytes(sizeBytes)}, ${left} s left`
}

function toMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
