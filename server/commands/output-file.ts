import { lstat, open, readlink, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import type { BundleFormat } from '../export/model/options.ts'

/** As many symbolic links as a system follows. */
const maxLinks = 40

/**
 * The format that the name of an archive says, zip where it says nothing.
 *
 * @throws {OperatorError} when it has an ending that is no format of ours.
 */
export function formatOf(file: string): BundleFormat {
  if (/\.(tar\.gz|tgz)$/i.test(file)) return 'tar.gz'
  const ending = /[^/\\](\.[a-z][a-z0-9]{0,7})$/i.exec(file)?.[1]
  if (ending === undefined || ending.toLowerCase() === '.zip') return 'zip'
  throw new OperatorError(
    `--output ${file}: ${ending} is no format of a bundle. Name a .zip, .tar.gz or .tgz file, or choose with --format zip or --format tar.gz.`,
    2,
  )
}

/**
 * The file that `--output` means, behind symbolic links, which stay. Fails before the first request rather than after the
 * last one.
 *
 * @throws {OperatorError} when nothing can be written there.
 */
export async function resolveOutput(output: string): Promise<string> {
  if (output.trim() === '') throw new OperatorError('--output is empty. Name a file, such as docs.zip.', 2)
  const file = await followLinks(resolve(output))
  const existing = await lstat(file).catch(() => null)
  if (existing && !existing.isFile()) {
    const kind = existing.isDirectory()
      ? 'a folder'
      : existing.isFIFO()
        ? 'a named pipe'
        : existing.isSocket()
          ? 'a socket'
          : 'a device'
    throw new OperatorError(`--output ${output} is ${kind}. Name a file, such as docs.zip.`, 2)
  }
  await tryToWrite(file, output)
  return file
}

async function followLinks(start: string): Promise<string> {
  let file = start
  for (let links = 0; links <= maxLinks; links += 1) {
    const target = await readlink(file).catch(() => null)
    if (target === null) return file
    file = resolve(dirname(file), target)
  }
  throw new OperatorError(`--output ${start} is a symbolic link that leads back to itself. Name another file.`, 2)
}

/** The archive is written beside its place first, under this name with `.part`. */
async function tryToWrite(file: string, output: string): Promise<void> {
  const part = `${file}.part`
  try {
    // Never through a link that somebody put there.
    await (await open(part, 'wx')).close()
    await rm(part)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // An export that was killed left it; it is replaced.
    if (code === 'EEXIST' && !(await lstat(part)).isDirectory()) return
    throw new OperatorError(`--output ${output} cannot be written (${explain(code, file)}).`, 2)
  }
}

function explain(code: string | undefined, file: string): string {
  if (code === 'EEXIST') return `a folder ${file}.part is in its way`
  return explainFolder(code, dirname(file))
}

/** Why nothing can be written to a folder, as messages say it in parentheses. */
export function explainFolder(code: string | undefined, folder: string): string {
  if (code === 'ENOENT') return `the folder ${folder} does not exist`
  if (code === 'ENOTDIR') return `${folder} is no folder`
  if (code === 'EACCES' || code === 'EPERM') return `you may not write to the folder ${folder}`
  if (code === 'EROFS') return `the folder ${folder} can only be read`
  if (code === 'ENAMETOOLONG') return 'its name is too long'
  if (code === 'ENOSPC') return `the disk of ${folder} is full`
  return code ?? 'for a reason unknown'
}
