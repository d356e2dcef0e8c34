import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { escapeControlsInLines } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'
import { checkBundle } from '../export/check/check-bundle.ts'
import { where } from '../export/check/check-pages.ts'
import type { BundleCheck, BundleFault } from '../export/check/check-result.ts'
import type { ExportFlags } from '../flags/export-settings.ts'
import { readLimits } from '../flags/run-settings.ts'
import { defaultUnpackLimits } from '../unpack/unpack-limits.ts'
import { megabyte } from './export-summary.ts'
import { openWorkFolder } from './open-work-folder.ts'
import { printJson, showCountOf } from './print.ts'
import { stopOnSignal } from './stop-on-signal.ts'

/** The flags that `--check` uses. Environment variables of the others are for exports and are ignored. */
const used = new Set([
  'check',
  'verify',
  'allowNoSandbox',
  'json',
  'workFolder',
  'pageTimeoutSeconds',
  'maxPageRequests',
])

/** Max faults and max notes that are printed; `--json` has all. */
const maxLines = 10

/**
 * Checks the bundle of `--check`, and prints the outcome.
 *
 * @throws {OperatorError} with exit code 1 when the bundle has faults, and 2 for wrong usage.
 */
export async function runCheck(site: string | undefined, flags: ExportFlags, command: Command): Promise<void> {
  const bundle = await readBundle(site, flags, command)
  const work = await openWorkFolder(flags.workFolder)
  const stop = stopOnSignal('The check was stopped.')
  try {
    const check = await checkBundle({
      bundle,
      workFolder: join(work.path),
      verify: flags.verify,
      allowNoSandbox: flags.allowNoSandbox ?? false,
      limits: readLimits(flags),
      unpackLimits: defaultUnpackLimits,
      signal: stop.signal,
    })
    const count = check.faults.length
    if (flags.json) printJson({ bundle, sound: count === 0, ...check })
    else console.log(escapeControlsInLines(describeCheck(flags.check ?? '', check).join('\n')))
    if (count > 0) throw new OperatorError(`The bundle has ${showCountOf(count, 'fault')}.`)
  } finally {
    stop.release()
    await work.close()
  }
}

/** Refuses what only an export uses. Returns the path of the bundle. */
async function readBundle(site: string | undefined, flags: ExportFlags, command: Command): Promise<string> {
  const { check = '' } = flags
  if (site !== undefined)
    throw new OperatorError(
      `--check verifies a bundle and exports nothing. Leave out ${site}, or leave out --check.`,
      2,
    )
  for (const option of command.options) {
    const name = option.attributeName()
    if (!used.has(name) && command.getOptionValueSource(name) === 'cli')
      throw new OperatorError(`--check verifies a bundle and exports nothing. Leave out ${option.long}.`, 2)
  }
  const found = await stat(resolve(check)).catch(() => null)
  if (!found?.isFile() && !found?.isDirectory())
    throw new OperatorError(
      `--check ${check}: there is no such file or folder. Name a bundle, such as docs.zip, or the folder of one.`,
      2,
    )
  return resolve(check)
}

/** Describes the outcome of a check, one line for each sentence. */
export function describeCheck(bundle: string, check: BundleCheck): string[] {
  const { kind, sizeBytes, sha256, domain, version, pages, files, openedPages, unopened, faults, notes } = check
  const size = sizeBytes === null ? '' : `, ${(sizeBytes / megabyte).toFixed(1)} MB`
  const of = domain === null ? '' : ` of ${domain}${version === null ? '' : `, version ${version}`}`
  const lines = [`${bundle}: ${kind}, ${showCountOf(pages, 'page')} in ${showCountOf(files, 'file')}${of}${size}`]
  if (sha256 !== null) lines.push(`sha256 ${sha256}`)
  if (unopened === null)
    lines.push(
      `Opened in Chromium at the root of a host, in a folder of a host and from file://: ${openedPages.join(', ')}`,
    )
  else lines.push(unopened)
  lines.push(...cut(notes, 'note'))
  lines.push(...cut(faults.map(describeFault), 'fault'))
  if (faults.length === 0) lines.push(describeSound(unopened === null))
  return lines
}

function describeSound(isOpened: boolean): string {
  const files = 'The bundle is sound: every address of its pages and style sheets resolves in it'
  return isOpened
    ? `${files}, no request failed or left it, no page reported an error, and the pages show the same text everywhere.`
    : `${files}.`
}

function describeFault({ page, place, what }: BundleFault): string {
  if (page === null) return `Fault: ${what}`
  return place === null ? `Fault: ${page} ${what}.` : `Fault: ${page} ${where[place]}: ${what}.`
}

function cut(lines: readonly string[], noun: string): string[] {
  const rest = lines.length - maxLines
  return rest > 0
    ? [...lines.slice(0, maxLines), `${showCountOf(rest, `more ${noun}`)}; --json lists all.`]
    : [...lines]
}
