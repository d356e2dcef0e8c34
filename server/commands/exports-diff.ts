import { stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { escapeControlsInLines } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'
import { readReport } from '../export/check/bundle-files.ts'
import {
  type BundleDiff,
  type ComparedBundle,
  compareBundles,
  type TextChange,
} from '../export/compare/compare-bundles.ts'
import { digestFiles } from '../export/model/manifest.ts'
import { addSettings, type FlagsOf, nonEmpty, type Settings } from '../flags/setting.ts'
import { bundlesSettings } from '../flags/shared-settings.ts'
import { unpackArchive } from '../unpack/unpack-archive.ts'
import { defaultUnpackLimits } from '../unpack/unpack-limits.ts'
import { writeDiffPage } from './exports-diff-page.ts'
import { resolveOutput } from './output-file.ts'
import { printJson } from './print.ts'
import { withBundles } from './with-bundles.ts'
import { withExistingStore } from './with-store.ts'
import { withWorkFolder } from './with-work-folder.ts'

const diffSettings = {
  html: {
    flag: '--html <file>',
    what: 'write the changes as a page for readers, with the added and removed words marked',
    read: nonEmpty('a file, such as changes.html'),
  },
  ...bundlesSettings,
} as const satisfies Settings

type DiffFlags = FlagsOf<typeof diffSettings>

export function diffCommand(): Command {
  const command = new Command('diff')
    .description('compare the text of the pages of two bundles')
    .argument('<before>', 'a bundle: an archive, the folder of one, or the id of an export of the server')
    .argument('<after>', 'a later bundle')
  return addSettings(command, diffSettings).action(diff)
}

async function diff(before: string, after: string, flags: DiffFlags): Promise<void> {
  const page = flags.html === undefined ? null : await resolveOutput(flags.html, 'changes.html')
  await withWorkFolder(undefined, 'The comparison was stopped.', async (workFolder, signal) => {
    const sides = { flags, workFolder, signal }
    const old = await openBundle(before, 'before', sides)
    const recent = await openBundle(after, 'after', sides)
    const changes = await compareBundles(old.folder, recent.folder, signal)
    const outcome: BundleDiff = { before: old.bundle, after: recent.bundle, ...changes }
    if (page !== null) await writeFile(page, writeDiffPage(outcome))
    if (flags.json) printJson(outcome)
    else console.log(escapeControlsInLines(describeDiff(outcome).join('\n')))
  })
}

interface OpenOptions {
  flags: DiffFlags
  workFolder: string
  signal: AbortSignal
}

/** Returns the folder with the files of a bundle, and describes it. */
async function openBundle(
  name: string,
  side: string,
  options: OpenOptions,
): Promise<{ folder: string; bundle: ComparedBundle }> {
  const found = await stat(resolve(name)).catch(() => null)
  if (found?.isDirectory()) return describeBundle(name, resolve(name), null)
  const folder = join(options.workFolder, side)
  const unpack = async (file: string) => {
    await unpackArchive({ file, folder, limits: defaultUnpackLimits, signal: options.signal })
    const [measured] = await digestFiles(dirname(file), [basename(file)], options)
    return describeBundle(name, folder, measured?.[1].sha256 ?? null)
  }
  if (found?.isFile()) return unpack(resolve(name))
  const fileName = await findBundle(name, options.flags)
  return withBundles(options.flags, bundles => bundles.withFile(fileName, unpack))
}

async function describeBundle(name: string, folder: string, sha256: string | null) {
  const report = await readReport(folder)
  const { domain, version } = typeof report === 'string' ? { domain: null, version: null } : report
  return { folder, bundle: { name, domain, version, sha256 } }
}

/** @throws {OperatorError} when there is neither such a file nor such an export. */
async function findBundle(jobId: string, flags: DiffFlags): Promise<string> {
  if (!/^se_[0-9a-f]{16}$/.test(jobId))
    throw new OperatorError(`There is no bundle ${jobId}. Name an archive, its folder, or the id of an export.`, 2)
  const job = await withExistingStore(flags, async store => store.exportJobs.find(jobId))
  if (!job) throw new OperatorError(`There is no export ${jobId}. See: npx quire exports list`)
  if (!job.bundle) throw new OperatorError(`${jobId} has no bundle: it is ${job.status}.`)
  return job.bundle.fileName
}

/** Describes the changes, one line for each sentence. */
export function describeDiff({ before, after, added, removed, moved, changed, unchanged }: BundleDiff): string[] {
  const counts = `${changed.length} changed, ${added.length} added, ${removed.length} removed, ${moved.length} moved, ${unchanged} unchanged`
  const head = `${describe(before)} -> ${describe(after)}: ${counts}`
  return [
    head,
    ...list(
      'Added',
      added.map(({ page, name }) => `  ${page} (${name})`),
    ),
    ...list(
      'Removed',
      removed.map(({ page, name }) => `  ${page} (${name})`),
    ),
    ...list(
      'Moved, with the same text',
      moved.map(({ from, to, name }) => `  ${from} -> ${to} (${name})`),
    ),
    ...list(
      'Changed',
      changed.flatMap(({ page, name, changes }) => [`  ${page} (${name})`, ...changes.flatMap(describeChange)]),
    ),
  ]
}

function describe({ name, version }: ComparedBundle): string {
  return version === null ? name : `${name} (version ${version})`
}

function list(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines]
}

function describeChange({ section, removed, added }: TextChange): string[] {
  const lines = [...removed.map(text => `      - ${text}`), ...added.map(text => `      + ${text}`)]
  return section === '' ? lines : [`    ${section}`, ...lines]
}
