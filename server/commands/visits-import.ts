import { Command } from 'commander'
import { type LogReading, toLogReading } from '../analytics/envelopes/log-settings.ts'
import { formats } from '../analytics/formats/formats.ts'
import { LogFormatError } from '../analytics/formats/log-format.ts'
import { getVisitedProjects } from '../analytics/import/find-projects.ts'
import { type ImportedFile, importLog, recordViews } from '../analytics/import/import-log.ts'
import { checkLogFile } from '../analytics/import/log-file.ts'
import { LogReader } from '../analytics/import/log-reader.ts'
import type { VisitRecorder } from '../analytics/unique-visitors.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addLogOptions, type LogFlags, logHelp, readLogFlags } from '../flags/log-options.ts'
import { dataOption, jsonOption } from '../flags/options.ts'
import { addVisitedOptions, readVisited, type VisitedFlags } from '../flags/visited-options.ts'
import type { Store } from '../store/store.ts'
import { printJson } from './print.ts'
import { createProgressLine } from './progress-line.ts'
import { describe, type ImportSummary, summarize } from './visits-import-summary.ts'
import { withExistingStore } from './with-store.ts'

interface ImportFlags extends LogFlags, VisitedFlags {
  data: string
  json?: boolean
}

export function visitsImportCommand(): Command {
  const command = new Command('import')
    .argument('<files...>')
    .description(
      'count the visits in access logs (plain, .gz or .zst; .xz and .bz2 if these programs are installed); "-" reads standard input',
    )
  return addLogOptions(addVisitedOptions(command))
    .addOption(dataOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  npx quire visits import /var/log/nginx/access.log --project Documentation
  npx quire visits import /var/log/nginx/access.log* --project Documentation --json
  npx quire visits import /var/log/caddy/access.log --by-host
  npx quire visits import /var/log/caddy/access.log --by-host --client-field X-Forwarded-For --trusted-proxies 1
  tail -n 1000 data/demo-access.log | npx quire visits import - --project Documentation

A page view is a GET of a page with 2xx or 304. A visitor is a keyed hash of address and user agent; neither is stored.
You can import the same log again, even if it has grown: nothing is counted twice. Malformed lines are counted and skipped.

${logHelp}`,
    )
    .action(async (files: string[], flags: ImportFlags) => {
      const projectId = readVisited(command, flags)
      const settings = toLogReading(readLogFlags(flags))
      const summary = await withExistingStore(flags.data, store => importFiles(store, projectId, files, settings))
      if (flags.json) printJson(summary)
      else console.log(describe(summary))
      failOnProblems(summary, settings)
    })
}

/** @param projectId undefined = by host */
async function importFiles(
  store: Store,
  projectId: string | undefined,
  files: string[],
  settings: LogReading,
): Promise<ImportSummary> {
  if (files.filter(file => file === '-').length > 1) throw new OperatorError('- can only be given once.', 2)
  const projects = await getVisitedProjects(store, projectId)
  const startedAt = performance.now()
  try {
    // Checked before the first import, so that a misspelt name does not leave a partial import.
    for (const file of files) await checkLogFile(file)
    const { visits } = store
    const reader = new LogReader({ ...settings, projects, keys: await visits.openVisitorKeys(), now: Date.now() })
    const imported = await readFiles(files, reader, visits)
    const seconds = Math.round(performance.now() - startedAt) / 1000
    return await summarize(reader, imported, seconds, visits)
  } catch (error) {
    throw explain(error)
  }
}

async function readFiles(files: string[], reader: LogReader, visits: VisitRecorder): Promise<ImportedFile[]> {
  const imported: ImportedFile[] = []
  try {
    for (const file of files) {
      const progress = createProgressLine(file)
      try {
        imported.push(await importLog({ file, reader, visits, onProgress: progress.show }))
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

function failOnProblems({ files }: ImportSummary, { format }: LogReading): void {
  const lacking = files.filter(({ lines, missingFields }) => lines > 0 && missingFields)
  const incomplete = files.flatMap(({ problem }) => problem ?? [])
  const unreadable = files.filter(({ lines, unreadLines }) => lines > 0 && lines === unreadLines)
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
    ...(incomplete.length > 0
      ? ['The lines before the damage are imported. Import the whole file when you have it: nothing is counted twice.']
      : []),
  ]
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
}
