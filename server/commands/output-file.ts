import { lstat, open, readlink, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import type { BundleFormat } from '../export/model/options.ts'

/** Maximum number of symbolic links to follow, as in Linux. */
const maxLinks = 40

/**
 * Returns the format for the name of an archive; zip if the name has no extension.
 *
 * @throws {OperatorError} when the extension is not a bundle format.
 */
export function formatOf(file: string): BundleFormat {
  if (/\.(tar\.gz|tgz)$/i.test(file)) return 'tar.gz'
  const ending = /[^/\\](\.[a-z][a-z0-9]{0,7})$/i.exec(file)?.[1]
  if (ending === undefined || ending.toLowerCase() === '.zip') return 'zip'
  throw new OperatorError(
    `--output ${file}: ${ending} is not a bundle format. Use a .zip, .tar.gz or .tgz file, or choose with --format zip or --format tar.gz.`,
    2,
  )
}

/** Names an archive after a site: `docs.example.com.zip`, or `127.0.0.1-8787-docs.zip` for a URL with a port and a path. */
export function nameOutput(site: string, format: BundleFormat): string {
  const { host, pathname } = URL.parse(site.includes('://') ? site : `https://${site}/`) ?? { host: site, pathname: '' }
  const words = [host, ...pathname.split('/')]
    .flatMap(part => part.split(/[^\w.-]/))
    .filter(word => !/^[.-]*$/.test(word))
  return `${words.join('-') || 'site'}.${format}`
}

/**
 * Returns the file to write for `--output` or another flag, with symbolic links resolved. Runs before the export, so that it fails early.
 *
 * @param example of a file name, for messages
 * @throws {OperatorError} when nothing can be written there.
 */
export async function resolveOutput(output: string, example = 'docs.zip', flag = '--output'): Promise<string> {
  if (output.trim() === '') throw new OperatorError(`${flag} is empty. Name a file, such as ${example}.`, 2)
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
    throw new OperatorError(`${flag} ${output} is ${kind}. Name a file, such as ${example}.`, 2)
  }
  await tryToWrite(file, `${flag} ${output}`)
  return file
}

/** Returns the file or folder that a path with symbolic links leads to. */
export async function followLinks(start: string): Promise<string> {
  let file = start
  for (let links = 0; links <= maxLinks; links += 1) {
    const target = await readlink(file).catch(() => null)
    if (target === null) return file
    file = resolve(dirname(file), target)
  }
  throw new OperatorError(`--output ${start} is a symbolic link that leads back to itself. Name another file.`, 2)
}

/** Tests writing to FILE.part, the temporary name of the archive during the export. */
async function tryToWrite(file: string, given: string): Promise<void> {
  const part = `${file}.part`
  try {
    // Does not follow a symbolic link with this name.
    await (await open(part, 'wx')).close()
    await rm(part)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Left by a killed export; it is replaced.
    if (code === 'EEXIST' && !(await lstat(part)).isDirectory()) return
    throw new OperatorError(`${given} cannot be written (${explain(code, file)}).`, 2)
  }
}

function explain(code: string | undefined, file: string): string {
  if (code === 'EEXIST') return `a folder ${file}.part is in the way`
  return explainFolder(code, dirname(file))
}

/** Explains why a folder cannot be written to, for parentheses in messages. */
export function explainFolder(code: string | undefined, folder: string): string {
  if (code === 'ENOENT') return `the folder ${folder} does not exist`
  if (code === 'ENOTDIR') return `${folder} is not a folder`
  if (code === 'EACCES' || code === 'EPERM') return `you may not write to the folder ${folder}`
  if (code === 'EROFS') return `the folder ${folder} is read-only`
  if (code === 'ENAMETOOLONG') return 'its name is too long'
  if (code === 'ENOSPC') return `the disk of ${folder} is full`
  return code ?? 'unknown reason'
}
