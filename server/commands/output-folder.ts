import type { Stats } from 'node:fs'
import { chmod, lstat, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isDiskFull } from '../base/disk-full.ts'
import { flushAll, flushFolder } from '../base/flush.ts'
import { OperatorError } from '../base/operator-error.ts'
import { openScratchFolder } from '../store/scratch-folder.ts'
import { unpackArchive } from '../unpack/unpack-archive.ts'
import { noUnpackLimits } from '../unpack/unpack-limits.ts'
import { explainFolder, followLinks } from './output-file.ts'

/** The file that every export has. A folder with this file is an earlier export. */
const reportName = 'export-report.json'

/** Whether `--output` names a folder: it ends in a slash. */
export function isFolderOutput(output: string): boolean {
  return /[/\\]$/.test(process.platform === 'win32' ? output : output.replaceAll('\\', '_'))
}

/**
 * Returns the folder to replace for `--output FOLDER/`, with symbolic links resolved. Runs before the export, so that it
 * fails early. Puts an earlier export back that a killed run had moved aside.
 *
 * @throws {OperatorError} when the folder cannot be replaced, or has other files than an export.
 */
export async function resolveOutputFolder(output: string): Promise<string> {
  const folder = await followLinks(resolve(output))
  const found = await lstat(folder).catch(() => null)
  if (found) await checkReplaceable(output, folder, found)
  try {
    await recover(folder)
    // Tests writing to the parent.
    await (await openPart(folder)).close()
  } catch (error) {
    const why = explainFolder((error as NodeJS.ErrnoException).code, dirname(folder))
    throw new OperatorError(`--output ${output} cannot be written (${why}).`, 2)
  }
  return folder
}

async function checkReplaceable(output: string, folder: string, found: Stats): Promise<void> {
  if (!found.isDirectory())
    throw new OperatorError(`--output ${output} is a file. Remove it, or leave out the slash to write an archive.`, 2)
  const parent = dirname(folder)
  // A mount point cannot be renamed.
  if (found.dev !== (await stat(parent)).dev || folder === parent)
    throw new OperatorError(
      `--output ${output} is a folder that cannot be replaced, because a file system is mounted there. Name a folder in it, such as ${join(output, 'docs')}/.`,
      2,
    )
  const names = await readdir(folder)
  if (names.length > 0 && !names.includes(reportName))
    throw new OperatorError(
      `--output ${output} is a folder with other files: it is neither empty nor an earlier export (it has no ${reportName}). Name another folder.`,
      2,
    )
}

/**
 * Unpacks an archive beside a folder, and then replaces the folder by it. If it fails or is stopped, the folder stays as it
 * was. If the process is killed between the two renames, the next run puts the old folder back.
 */
export async function replaceFolder(archive: string, folder: string, signal: AbortSignal): Promise<void> {
  const part = await openPart(folder)
  try {
    const paths = await unpackArchive({ file: archive, folder: part.path, limits: noUnpackLimits, signal })
    await flushAll(part.path, paths)
    signal.throwIfAborted()
    await swap(part.path, folder)
  } catch (error) {
    throw explain(error, folder)
  } finally {
    await part.close()
  }
}

/** Opens a folder beside the target, on the same file system. Folders of killed runs are removed. */
function openPart(folder: string) {
  return openScratchFolder(dirname(folder), `.${basename(folder)}.part-`)
}

/** The name of the old folder while it is replaced. */
const asideOf = (folder: string) => join(dirname(folder), `.${basename(folder)}.old`)

async function swap(made: string, folder: string): Promise<void> {
  const parent = dirname(folder)
  const aside = asideOf(folder)
  const old = await stat(folder).catch(() => null)
  // Whoever could read the old folder can read the new one, and nobody else.
  if (old) await chmod(made, old.mode & 0o7777)
  if (old) {
    await rm(aside, { recursive: true, force: true, maxRetries: 3 })
    await rename(folder, aside)
  }
  try {
    await rename(made, folder)
  } catch (error) {
    if (old) await rename(aside, folder)
    throw error
  }
  await flushFolder(parent)
  await rm(aside, { recursive: true, force: true, maxRetries: 3 })
}

/** Ends the swap of a killed run: puts the old folder back if there is no new one; otherwise removes the old one. */
async function recover(folder: string): Promise<void> {
  const aside = asideOf(folder)
  if (!(await lstat(aside).catch(() => null))?.isDirectory()) return
  if (await lstat(folder).catch(() => null)) await rm(aside, { recursive: true, force: true, maxRetries: 3 })
  else await rename(aside, folder)
}

function explain(error: unknown, folder: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const kept = `${folder} was not changed.`
  if (isDiskFull(error)) return new OperatorError(`The disk of ${dirname(folder)} is full. Free some space. ${kept}`)
  if (error instanceof OperatorError || code === undefined) return error
  return new OperatorError(`The folder could not be replaced (${message}). ${kept}`, 1, { cause: error })
}
