// A long file: the flags of an export, and everything that is made of its result.
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { describeEngine } from '../assets.ts'
import { isDiskFull } from '../base/disk-full.ts'
import { makeFolder } from '../base/make-folder.ts'
import { OperatorError } from '../base/operator-error.ts'
import { type SigningKey, signArchive, signatureFile } from '../base/signature.ts'
import type { BundleFormat, ExportProgress, ExportResult } from '../export/model/options.ts'
import { createProgressModel, type ProgressReading } from '../export/model/progress-model.ts'
import type { CacheSettings } from '../export/model/site-cache.ts'
import { type ExportFlags, exportSettings, readHeaders, readPaths, readTarget } from '../flags/export-settings.ts'
import { readLimits, readProcessLimits } from '../flags/run-settings.ts'
import { addSettings } from '../flags/setting.ts'
import { readKeyFile } from '../flags/signing-settings.ts'
import { readRemovalFlags, removalHelp } from '../flags/site-settings.ts'
import { resolveFeatures } from '../products/features.ts'
import { checkLoginTimes, type RecordedLogin } from '../web/login/recorded-login.ts'
import { createRunExport } from '../workers/run-export.ts'
import { megabyte, summarize } from './export-summary.ts'
import { readLoginFile } from './login-file.ts'
import { explainFolder, formatOf, nameOutput, resolveOutput } from './output-file.ts'
import { isFolderOutput, replaceFolder, resolveOutputFolder } from './output-folder.ts'
import { printJson, printNote } from './print.ts'
import { describePrinted, print, resolvePrinted } from './print-bundle.ts'
import { withWorkFolder } from './with-work-folder.ts'

const usualSettings = [
  ...(['output', 'check', 'path', 'origin', 'exclude', 'header', 'session', 'offlineSearch', 'markdown'] as const),
  ...(['label', 'sign', 'pdf', 'singleHtml', 'verify', 'allowLoss', 'allowNoSandbox', 'cache', 'json'] as const),
] as const

export function exportCommand(): Command {
  const command = new Command('export')
    .description('export a documentation site into an archive or a folder, without a server')
    .argument(
      '[domain-or-url]',
      'site to export: a domain such as docs.example.com, or a URL, to export only pages below its path',
    )
  return addSettings(command, exportSettings, usualSettings).addHelpText('after', help).action(run)
}

const help = `
Examples:
  npx quire export http://127.0.0.1:8787/docs/
  npx quire export http://127.0.0.1:8787/docs/ -o docs.zip
  npx quire export http://127.0.0.1:8787/docs/ -o docs/
  npx quire export --check docs.zip
  npx quire export http://127.0.0.1:8787/docs/ -o docs.zip --sign quire-signing.pem
  npx quire export --check docs.zip --trusted-key quire-signing.pub.pem
  npx quire export http://127.0.0.1:8787/docs/ -o docs.tar.gz --cache ~/.cache/quire
  npx quire export docs.example.com --origin http://127.0.0.1:8787/docs/ -o docs.zip
  QUIRE_EXPORT_HEADERS="Authorization: Bearer $TOKEN" npx quire export http://127.0.0.1:8787/docs/ -o docs.zip
  npx quire export http://127.0.0.1:8787/docs/ --deployment client-hosted --feature search=on --remove-selector '#ask-us' -o docs.zip
  npx quire export http://127.0.0.1:8787/docs/ --exclude '/docs/reference/*' --exclude '*/drafts/*' -o docs.zip
  npx quire export http://127.0.0.1:8787/docs/ --path /docs/ --path /docs/export/ -o two-pages.zip --json
  npx quire export http://127.0.0.1:8787/docs/ --offline-search -o docs.zip
  npx quire export http://127.0.0.1:8787/docs/ -o docs.zip --pdf docs.pdf --single-html docs.html
  npx quire export http://127.0.0.1:8787/docs/ -o docs.zip --label 2.1 --stamp 2026-11-27
  npx quire export http://127.0.0.1:8787/docs/ -o docs.zip --allow-origin http://127.0.0.1:9000

The demo (npm start) serves the site of the examples. Use the domain or the address of your own site instead, such as
docs.example.com.

A name with a slash at its end is a folder: the bundle is unpacked there, and replaces an earlier export in one step.
--check verifies a bundle that was made earlier: an archive or the folder of one. It unpacks the archive, resolves every
address of the pages, and opens pages in Chromium with all other addresses blocked. It exits with 1 if it finds a fault.
--pdf and --single-html print the finished bundle, as npx quire print does with any bundle. If that fails, the bundle stays.
--stamp adds a line that is read, printed and covers nothing. The date is yours, so that the same site gives the same bytes.
The host of the URL, of --origin and of --allow-origin may be a private or loopback address; other private addresses are
refused. In QUIRE_EXPORT_ALLOW_ORIGINS, separate origins by white space.
robots.txt is obeyed, unless you give --origin or --ignore-robots.
Headers are sent only to the site. In QUIRE_EXPORT_HEADERS, write one header per line. Unlike --header, the variable does not
appear in the process list.
To trust a private certificate authority, set NODE_EXTRA_CA_CERTS=authority.pem.

${removalHelp}
The path of a page may omit the first slash, and index is the first page of the site. In QUIRE_EXPORT_PATHS, separate paths by
white space. In other environment variables, write one value per line.`

/** Loads what exports and checks only when it is used, so that the help and the refusal of a flag do not wait for it. */
async function run(site: string | undefined, flags: ExportFlags, command: Command): Promise<void> {
  if (flags.check !== undefined) return (await import('./export-check.ts')).runCheck(site, flags, command)
  if (site === undefined) return missing(command, "missing required argument 'domain-or-url'")
  await runExport(site, { ...flags, output: flags.output ?? nameOutput(site, flags.format ?? 'zip') }, command)
}

/** Ends like commander does for a missing argument. Only --check needs no site. */
function missing(command: Command, what: string): never {
  return command.error(`error: ${what}`, { code: 'commander.missingArgument' })
}

type WritingFlags = ExportFlags & { output: string }

async function runExport(site: string, flags: WritingFlags, command: Command): Promise<void> {
  const given = { ...readGiven(site, flags, command), login: await readLogin(flags) }
  const key = readSigningFlags(flags, command)
  const output = await resolveAnyOutput(flags)
  const files = await resolvePrinted(flags)
  const stopped = 'The export was stopped; nothing was written.'
  await withWorkFolder(flags.workFolder, stopped, async (scratch, signal) => {
    const progress = showProgress(process.stderr)
    const startedAt = performance.now()
    try {
      const { outFile, workFolder } = await placeArchive(output, given.format, scratch)
      const cache = flags.cache === undefined ? null : await prepareCache(flags.cache, flags.cacheMb)
      const runExport = createRunExport(readProcessLimits(flags), 0)
      const task = {
        ...given,
        outFile,
        workFolder,
        reuse: cache && { cache, run: randomUUID(), engine: describeEngine() },
      }
      const result = await runExport(task, {
        onProgress: progress.show,
        signal,
        warn: (details, message) => console.error(`${message} ${describeCause(details)}`.trim()),
      })
      if (output.isFolder) await replaceFolder(outFile, output.path, signal)
      const signature = key && (await writeSignature(output.path, result, key))
      progress.end()
      const seconds = (performance.now() - startedAt) / 1000
      const place = output.isFolder ? { folder: output.path } : { file: output.path }
      const { path: bundle } = output
      const printing = { bundle, sha256: result.sha256, workFolder: scratch, signal }
      const { allowNoSandbox } = given
      const printed = files ? await print({ ...printing, ...files, allowNoSandbox }) : []
      if (result.browserProblem !== null) console.error(result.browserProblem)
      if (flags.json)
        printJson({
          ...place,
          format: given.format,
          ...result,
          signature,
          printed,
          seconds: Math.round(seconds * 1000) / 1000,
        })
      else
        for (const line of [summarize(output.path, result, seconds), ...printed.map(describePrinted)]) console.log(line)
      if (signature && !flags.json) console.log(`Signed with the key ${signature.keyId}: ${signature.file}`)
    } catch (error) {
      progress.end()
      if (isDiskFull(error))
        throw new OperatorError(`The disk is full. Free some space, or name another folder with --work-folder.`)
      throw error
    }
  })
}

/** Reads the recorded login, and prints what of it has ended or will soon. */
async function readLogin({ session, ...flags }: WritingFlags): Promise<RecordedLogin | null> {
  if (session === undefined) return null
  const login = await readLoginFile(session)
  printNote(checkLoginTimes(login, Date.now(), readLimits(flags).jobTimeoutMs) ?? undefined)
  return login
}

/** Reads the flags that say what is exported, and how. */
function readGiven(site: string, flags: WritingFlags, command: Command) {
  const isVariable = command.getOptionValueSource('path') === 'env'
  return {
    ...readTarget(site, flags.origin),
    format: flags.format ?? (isFolderOutput(flags.output) ? 'zip' : formatOf(flags.output)),
    features: resolveFeatures(flags.deployment, flags.feature ?? {}),
    removal: readRemovalFlags(flags),
    paths: readPaths(isVariable ? flags.path?.flatMap(text => text.split(/\s+/)) : flags.path),
    alsoAllowed: (flags.allowOrigin ?? []).map(origin => new URL(origin)),
    siteHeaders: readHeaders(flags.header),
    deployment: flags.deployment,
    version: flags.label ?? null,
    stamp: flags.stamp ?? null,
    limits: readLimits(flags),
    verify: flags.verify,
    allowLoss: flags.allowLoss ?? false,
    allowNoSandbox: flags.allowNoSandbox ?? false,
    offlineSearch: flags.offlineSearch ?? false,
    markdown: flags.markdown ?? false,
    obeyRobots: !flags.ignoreRobots && flags.origin === undefined,
  }
}

/** Reads the key before the export, so that it fails early. */
function readSigningFlags({ sign, output, trustedKey }: WritingFlags, command: Command): SigningKey | null {
  if (trustedKey && command.getOptionValueSource('trustedKey') === 'cli')
    throw new OperatorError('--trusted-key verifies a bundle. Give it with --check, or leave it out.', 2)
  if (sign === undefined) return null
  if (isFolderOutput(output))
    throw new OperatorError('--sign signs an archive. Write one, such as docs.zip, or leave --sign out.', 2)
  return readKeyFile(sign).key
}

/** Writes the signature beside the archive. */
async function writeSignature(archive: string, { sha256, sizeBytes }: ExportResult, key: SigningKey) {
  const file = signatureFile(archive)
  await writeFile(file, `${signArchive({ sha256, sizeBytes }, Date.now(), key)}\n`)
  return { file, keyId: key.id }
}

/** Where the bundle goes: an archive, or a folder with its files. */
interface Output {
  path: string
  isFolder: boolean
}

async function resolveAnyOutput({ output }: WritingFlags): Promise<Output> {
  const isFolder = isFolderOutput(output)
  const path = isFolder
    ? await resolveOutputFolder(output)
    : await resolveOutput(output, 'docs.zip, or a folder with a slash at its end, such as docs/')
  return { path, isFolder }
}

/** Chooses the archive to write. For a folder, it is a scratch file beside the work folder, which the export removes. */
async function placeArchive(
  { path, isFolder }: Output,
  format: BundleFormat,
  scratch: string,
): Promise<{ outFile: string; workFolder: string }> {
  if (!isFolder) return { outFile: path, workFolder: scratch }
  await mkdir(scratch)
  return { outFile: join(scratch, `bundle.${format}`), workFolder: join(scratch, 'work') }
}

/** Creates the folder of the caches. The process of the export opens the cache of the site. */
async function prepareCache(given: string, maxMb: number): Promise<CacheSettings> {
  const folder = resolve(given)
  try {
    await makeFolder(folder)
    await access(folder, constants.W_OK)
  } catch (error) {
    const why = explainFolder((error as NodeJS.ErrnoException).code, given)
    throw new OperatorError(`--cache ${given} cannot be used (${why}). Choose a folder that you may write to.`, 2)
  }
  // The archive belongs to the user, who may change it, so the cache keeps a copy.
  return { folder, maxBytes: maxMb * megabyte, sharesArchives: false }
}

function describeCause({ err }: { err?: { message: string; code?: string } }): string {
  return err ? `(${err.code ?? err.message})` : ''
}

const progressBarWidth = 24

const stageVerbs: Record<ExportProgress['stage'], string> = {
  compare: 'Comparing',
  discover: 'Looking for pages',
  fetch: 'Fetching',
  render: 'Rendering',
  look: 'Opening pages in a browser',
  archive: 'Packing',
  check: 'Checking in a browser',
}

/** Describes the progress of an export for a log: `Fetching: 120 of 526 pages`. */
export function describeProgress({ stage, pagesDone, pagesKnown }: Omit<ExportProgress, 'pageCount'>): string {
  if (stage === 'discover') return stageVerbs.discover
  if (stage === 'look' || stage === 'check') return `${stageVerbs[stage]}: ${pagesDone} of about ${pagesKnown}`
  return `${stageVerbs[stage]}: ${pagesDone} of ${pagesKnown} pages`
}

/**
 * Draws the progress as a terminal line with a bar of the whole export, its stage, and the time left if it is known.
 *
 * @param columns width of the terminal, which limits the line.
 */
export function drawProgress(
  progress: Omit<ExportProgress, 'pageCount'>,
  { percent, leftMs }: Pick<ProgressReading, 'percent' | 'leftMs'>,
  columns: number,
): string {
  const filled = Math.floor((percent / 100) * progressBarWidth)
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(progressBarWidth - filled)}]`
  const parts = [bar, `${Math.floor(percent)} %`.padStart(4), describeProgress(progress)]
  if (leftMs !== null) parts.push(`about ${describeSeconds(leftMs / 1000)} left`)
  return parts.join('  ').slice(0, columns)
}

function describeSeconds(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds))
  return whole < 90 ? `${whole} s` : `${Math.round(whole / 60)} min`
}

/** Redraws one line on a terminal; otherwise prints a line for each stage and every few seconds. */
function showProgress(stream: NodeJS.WriteStream) {
  const model = createProgressModel()
  let stage = ''
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show(progress: ExportProgress) {
      const now = performance.now()
      const reading = model.note(progress, now)
      const isNew = progress.stage !== stage
      stage = progress.stage
      if (!isNew && now - shownAt < (stream.isTTY ? 100 : 5000)) return
      shownAt = now
      if (stream.isTTY) stream.write(`\r\u001b[K${drawProgress(progress, reading, (stream.columns ?? 80) - 1)}`)
      else stream.write(`${describeProgress(progress)}\n`)
    },
    end() {
      if (stream.isTTY) stream.write('\r\u001b[K')
    },
  }
}
