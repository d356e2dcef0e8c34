import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { escapeControlsInLines } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'
import { type Signature, signatureFile, type TrustedKeys, verifySignature } from '../base/signature.ts'
import { checkBundle } from '../export/check/check-bundle.ts'
import { where } from '../export/check/check-pages.ts'
import type { BundleCheck, BundleFault } from '../export/check/check-result.ts'
import { manifestName } from '../export/model/manifest.ts'
import type { ExportFlags } from '../flags/export-settings.ts'
import { readLimits } from '../flags/run-settings.ts'
import { readTrustedKeyFiles } from '../flags/signing-settings.ts'
import { defaultUnpackLimits } from '../unpack/unpack-limits.ts'
import { megabyte } from './export-summary.ts'
import { printJson, showCountOf } from './print.ts'
import { withWorkFolder } from './with-work-folder.ts'

/** The flags that `--check` uses. Environment variables of the others are for exports and are ignored. */
const used = new Set([
  'check',
  'trustedKey',
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
  const trusted = readTrustedKeyFiles(flags.trustedKey)
  const checked = await withWorkFolder(flags.workFolder, 'The check was stopped.', (workFolder, signal) =>
    checkBundle({
      bundle,
      workFolder,
      verify: flags.verify,
      allowNoSandbox: flags.allowNoSandbox ?? false,
      limits: readLimits(flags),
      unpackLimits: defaultUnpackLimits,
      signal,
    }),
  )
  const signed = await checkSignature(bundle, checked, trusted)
  const check = { ...checked, ...signed, faults: [...checked.faults, ...signed.faults] }
  const count = check.faults.length
  if (flags.json) printJson({ bundle, sound: count === 0, ...check })
  else console.log(escapeControlsInLines(describeCheck(flags.check ?? '', check).join('\n')))
  if (count > 0) throw new OperatorError(`The bundle has ${showCountOf(count, 'fault')}.`)
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

type SignedCheck = Pick<BundleCheck, 'faults'> & { signature: Pick<Signature, 'keyId' | 'signedAt'> | null }

/** Verifies the signature beside an archive, if keys are trusted. */
async function checkSignature(
  bundle: string,
  { kind, sha256, sizeBytes }: BundleCheck,
  trusted: TrustedKeys | null,
): Promise<SignedCheck> {
  if (!trusted) return { signature: null, faults: [] }
  try {
    if (kind === 'folder') throw new OperatorError('A folder has no signature. Check the archive.')
    const text = await readFile(signatureFile(bundle), 'utf8').catch(() => null)
    if (text === null) throw new OperatorError(`The bundle is not signed: ${signatureFile(bundle)} cannot be read.`)
    const { keyId, signedAt, ...signed } = verifySignature(text, trusted)
    if (signed.sha256 !== sha256 || signed.sizeBytes !== sizeBytes)
      throw new OperatorError('The signature belongs to another archive: this one was changed after it was signed.')
    return { signature: { keyId, signedAt }, faults: [] }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { signature: null, faults: [{ page: null, place: null, what: error.message }] }
  }
}

/** Describes the outcome of a check, one line for each sentence. */
export function describeCheck(bundle: string, check: BundleCheck & Partial<SignedCheck>): string[] {
  const { kind, sizeBytes, sha256, domain, version, pages, files, openedPages, unopened, faults, notes } = check
  const { manifest, signature } = check
  const size = sizeBytes === null ? '' : `, ${(sizeBytes / megabyte).toFixed(1)} MB`
  const of = domain === null ? '' : ` of ${domain}${version === null ? '' : `, version ${version}`}`
  const lines = [`${bundle}: ${kind}, ${showCountOf(pages, 'page')} in ${showCountOf(files, 'file')}${of}${size}`]
  if (sha256 !== null) lines.push(`sha256 ${sha256}`)
  if (manifest) lines.push(describeManifest(manifest))
  if (signature) lines.push(`Signed with the trusted key ${signature.keyId} at ${signature.signedAt}.`)
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

function describeManifest({ engine, newestPage }: NonNullable<BundleCheck['manifest']>): string {
  const day = newestPage === null ? '' : `, newest page of ${newestPage}`
  return `Made by ${engine}${day}. Its files were compared with ${manifestName}.`
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
