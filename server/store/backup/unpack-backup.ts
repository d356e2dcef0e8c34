import { createHash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { OperatorError } from '../../base/operator-error.ts'
import { findProblem } from '../open-unchanged.ts'
import { canUse, readSpan } from '../schema-span.ts'
import { findKnownSchema, listKnownSchemas } from '../schema-versions.ts'
import type { FileDigest } from './backup-writer.ts'
import { aboutName, isDatabase, mainDatabase, manifestName } from './data-files.ts'
import {
  type BackedUpFile,
  type BackupAbout,
  type BackupManifest,
  notABackup,
  parseAbout,
  parseManifest,
  show,
} from './manifest.ts'
import { type BackupEntry, readBackup } from './read-backup.ts'
import { findUnsafeName } from './recorded-bundles.ts'

export interface UnpackOptions {
  /** An archive or a folder that `makeBackup` made. */
  source: string
  onProgress(progress: { path: string; doneBytes: number }): void
}

export interface UnpackedBackup {
  createdAt: string
  /** The version of Quire that made the backup. */
  quire: string
  files: number
  sizeBytes: number
  /** Sessions and sign-in links of the dashboard that the backup had, and the unpacked folder has not. */
  endedSessions: number
  /** The storage that has the bundles; null = the backup had them. */
  bundlesElsewhere: { place: string; bundles: number } | null
  warnings: string[]
}

const maxTextBytes = 512 * 1024 * 1024

/**
 * Writes the files of a backup into a scratch folder that does not exist yet, and checks them: their sizes and digests, the integrity
 * of the databases, and their schema versions. Ends the sessions of the dashboard in the unpacked database.
 *
 * @throws {OperatorError} when the backup is damaged or of a newer version.
 */
export async function unpackBackup({ source, onProgress }: UnpackOptions, scratch: string): Promise<UnpackedBackup> {
  const known = listKnownSchemas()
  const found = new Map<string, FileDigest>()
  let about: BackupAbout | undefined
  let manifest: BackupManifest | undefined
  let doneBytes = 0
  await mkdir(scratch, { mode: 0o700 })
  for await (const { path, content } of readBackup(source, known.main)) {
    if (!about) {
      if (path !== aboutName) throw notABackup()
      about = parseAbout(await readText(content), known.main)
    } else if (manifest) throw notABackup()
    else if (path === manifestName) manifest = parseManifest(await readText(content), about)
    else {
      onProgress({ path, doneBytes })
      const digest = await writeNew(join(scratch, path), { path, content }, bytes => {
        doneBytes += bytes
        onProgress({ path, doneBytes })
      })
      found.set(path, digest)
    }
  }
  if (!manifest) throw new OperatorError('The backup is not complete: its end is missing. Use another backup.')
  compare(manifest, found)
  await checkDatabases(scratch, manifest.files, path => onProgress({ path, doneBytes }))
  const endedSessions = endSessions(join(scratch, mainDatabase))
  const { createdAt, quire, warnings, files, bundlesElsewhere: elsewhere } = manifest
  const bundlesElsewhere = elsewhere ? { place: elsewhere.place, bundles: elsewhere.fileNames.length } : null
  return { createdAt, quire, files: files.length, sizeBytes: doneBytes, endedSessions, bundlesElsewhere, warnings }
}

async function readText(content: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of content) {
    sizeBytes += chunk.length
    if (sizeBytes > maxTextBytes) throw notABackup()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

async function writeNew(
  file: string,
  { path, content }: BackupEntry,
  onBytes: (bytes: number) => void,
): Promise<FileDigest> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const copy = await createNew(file, path)
  try {
    for await (const chunk of content) {
      hash.update(chunk)
      await copy.writeFile(chunk)
      sizeBytes += chunk.length
      onBytes(chunk.length)
    }
    await copy.sync()
  } finally {
    await copy.close()
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** Creates a file and its folders. A second file with the same path is refused. */
async function createNew(file: string, path: string) {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    return await open(file, 'wx', 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST' && code !== 'ENOTDIR' && code !== 'EISDIR' && code !== 'ENAMETOOLONG') throw error
    const message = `The backup has two files at ${show(path)}, or its name is too long. Use another backup.`
    throw new OperatorError(message, 1, { cause: error })
  }
}

/** @throws {OperatorError} when the files are not exactly those of the manifest. */
function compare({ files }: BackupManifest, found: ReadonlyMap<string, FileDigest>): void {
  for (const { path, sizeBytes, sha256 } of files) {
    const file = found.get(path)
    if (!file) throw new OperatorError(`The backup lacks ${show(path)}. It is damaged. Use another backup.`)
    if (file.sizeBytes === sizeBytes && file.sha256 === sha256) continue
    throw new OperatorError(
      `${show(path)} in the backup is damaged: it has ${file.sizeBytes} bytes with another SHA-256 than the manifest (${sizeBytes} bytes). Use another backup.`,
    )
  }
  const listed = new Set(files.map(({ path }) => path))
  const surplus = [...found.keys()].find(path => !listed.has(path))
  if (surplus !== undefined) {
    throw new OperatorError(`The backup has ${show(surplus)}, which its manifest lacks. Use another backup.`)
  }
}

/**
 * Checks the databases of a backup that was unpacked into a folder.
 *
 * @throws {OperatorError} when one is damaged, was written by a newer Quire, or names files outside the data folder.
 */
async function checkDatabases(
  folder: string,
  files: readonly BackedUpFile[],
  onCheck: (path: string) => void,
): Promise<void> {
  for (const { path, schema } of files) {
    const file = join(folder, path)
    if (!(await isDatabase(file))) {
      if (schema === undefined && path !== mainDatabase) continue
      throw damaged(path, 'it is not a database')
    }
    onCheck(path)
    checkDatabase(path, file)
  }
  const unsafe = findUnsafeName(join(folder, mainDatabase))
  if (unsafe !== undefined) {
    throw new OperatorError(
      `${mainDatabase} in the backup names the file ${show(unsafe)}, which no database of Quire does. Nothing was restored.`,
    )
  }
}

function checkDatabase(path: string, file: string): void {
  let database: Database.Database | undefined
  try {
    database = new Database(file, { fileMustExist: true })
    database.pragma('query_only = ON')
    database.pragma('trusted_schema = OFF')
    const problem = findProblem(database, 'integrity_check')
    if (problem !== null) throw damaged(path, problem)
    const span = readSpan(database)
    const known = findKnownSchema(path)
    if (known !== undefined && !canUse(span, known)) {
      throw new OperatorError(
        `${path} in the backup was written by a newer Quire (schema ${span.version}, this one knows ${known}). Upgrade Quire, and restore again.`,
      )
    }
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_')) throw damaged(path, (error as Error).message)
    throw error
  } finally {
    database?.close()
  }
}

function damaged(path: string, reason: string): OperatorError {
  return new OperatorError(`${path} in the backup is damaged (${reason}). Use another backup.`)
}

/** Tables of which each row lets someone into the dashboard. */
const sessionTables = ['sessions', 'sign_in_links'] as const

/**
 * Deletes the sessions and sign-in links from a main database of any schema version that no process uses. Returns how many
 * there were.
 */
function endSessions(file: string): number {
  const database = new Database(file, { fileMustExist: true })
  try {
    database.pragma('trusted_schema = OFF')
    const hasTable = database.prepare<[string], number>('SELECT 1 FROM sqlite_schema WHERE name = ?').pluck()
    const known = sessionTables.filter(table => hasTable.get(table) !== undefined)
    const end = database.transaction(() =>
      known.reduce((count, table) => count + database.prepare(`DELETE FROM ${table}`).run().changes, 0),
    )
    return end()
  } finally {
    database.close()
  }
}
