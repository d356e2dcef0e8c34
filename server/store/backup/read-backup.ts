import { createReadStream, type Stats } from 'node:fs'
import { open, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { OperatorError } from '../../base/operator-error.ts'
import { aboutName, manifestName } from './data-files.ts'
import { checkPath, notABackup, parseAbout, parseManifest, show } from './manifest.ts'

/** A file of a backup. Its content must be read before the next file. */
export interface BackupEntry {
  path: string
  content: AsyncIterable<Buffer>
}

const chunkBytes = 1024 * 1024

/**
 * Reads the files of a backup: first `backup.json`, last `manifest.json`. Checks that the other paths are safe.
 *
 * @throws {OperatorError} when this is not a backup, or it is damaged.
 */
export async function* readBackup(source: string, knownSchema: number): AsyncGenerator<BackupEntry> {
  const stats = await statBackup(source)
  if (stats.isDirectory()) yield* readFolder(source, knownSchema)
  else yield* readTar(source)
}

/** @throws {OperatorError} when the file or folder does not exist. */
export async function statBackup(source: string): Promise<Stats> {
  const stats = await stat(source).catch(() => null)
  if (!stats) throw new OperatorError(`There is no backup ${source}. Check the name.`)
  return stats
}

async function* readFolder(source: string, knownSchema: number): AsyncGenerator<BackupEntry> {
  const text = async (name: string) =>
    readFile(join(source, name), 'utf8').catch(() => {
      throw notABackup()
    })
  const about = await text(aboutName)
  const manifest = await text(manifestName)
  yield { path: aboutName, content: toContent(about) }
  const root = await realpath(source)
  for (const { path } of parseManifest(manifest, parseAbout(about, knownSchema)).files) {
    const file = join(root, path)
    // A link could lead out of the backup.
    if ((await realpath(file).catch(() => null)) !== file || !(await stat(file)).isFile()) {
      throw new OperatorError(
        `${join(source, path)} is missing or not a file. The backup is damaged. Use another backup.`,
      )
    }
    yield { path, content: createReadStream(file, { highWaterMark: chunkBytes }) }
  }
  yield { path: manifestName, content: toContent(manifest) }
}

async function* toContent(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

async function* readTar(file: string): AsyncGenerator<BackupEntry> {
  const unpack = extract()
  const bytes = createReadStream(file, { highWaterMark: chunkBytes })
  const fed = (await isGzip(file)) ? pipeline(bytes, createGunzip(), unpack) : pipeline(bytes, unpack)
  // The loop below fails with the same error.
  fed.catch(() => {})
  try {
    for await (const entry of unpack) {
      const { name, type } = entry.header
      if (type !== 'file') {
        throw new OperatorError(`The backup contains ${show(name)}, which is not a file. Nothing was restored.`)
      }
      if (name !== aboutName && name !== manifestName) checkPath(name)
      yield { path: name, content: explainErrors(entry as AsyncIterable<Buffer>, file) }
    }
    await fed
  } catch (error) {
    throw explain(error, file)
  } finally {
    unpack.destroy()
  }
}

async function* explainErrors(content: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* content
  } catch (error) {
    throw explain(error, file)
  }
}

/** Turns an error of the formats into a sentence. Errors of the file system have a code in capitals, those of zlib start with Z_. */
function explain(error: unknown, file: string): unknown {
  const { code } = error as { code?: string }
  const isFormat = code === undefined || /^Z_|^ERR_/.test(code)
  if (error instanceof OperatorError || !isFormat) return error
  return new OperatorError(`${file} is damaged, not complete, or not a backup of Quire. Use another backup.`, 1, {
    cause: error,
  })
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file, 'r')
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await handle.close()
  }
}
