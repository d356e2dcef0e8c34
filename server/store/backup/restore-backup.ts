import { createHash } from 'node:crypto'
import { existsSync, rmdirSync } from 'node:fs'
import { mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { makeFolder } from '../../base/make-folder.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { findFolderUsers } from '../folder-users.ts'
import { findProblem } from '../open-unchanged.ts'
import { findKnownSchema, listKnownSchemas } from '../schema-versions.ts'
import { openScratchFolder } from '../scratch-folder.ts'
import type { FileDigest } from './backup-writer.ts'
import { aboutName, atTopOfDisk, isDatabase, mainDatabase, manifestName } from './data-files.ts'
import {
  type BackedUpFile,
  type BackupAbout,
  type BackupManifest,
  notABackup,
  parseAbout,
  parseManifest,
  show,
} from './manifest.ts'
import { placeFiles } from './place-files.ts'
import { type BackupEntry, readBackup, statBackup } from './read-backup.ts'
import { findUnsafeName } from './recorded-bundles.ts'

interface RestoreOptions {
  /** An archive or a folder that `makeBackup` made. */
  source: string
  /** Must be missing or empty. */
  dataFolder: string
  onProgress(progress: { path: string; doneBytes: number }): void
}

interface Restored {
  dataFolder: string
  createdAt: string
  /** The version of Quire that made the backup. */
  quire: string
  files: number
  sizeBytes: number
  /** Sessions and sign-in links of the dashboard that the backup had, and the data folder has not. */
  endedSessions: number
  /** The storage that has the bundles; null = the backup had them. */
  bundlesElsewhere: { place: string; bundles: number } | null
  warnings: string[]
}

const maxTextBytes = 512 * 1024 * 1024

/**
 * Puts the files of a backup into an empty data folder. Checks all of them first: their sizes and digests, the integrity of
 * the databases, and their schema versions. Ends the sessions of the dashboard, because one that was ended since the backup
 * must not come back.
 *
 * @throws {OperatorError} when the folder is not empty or in use, or when the backup is missing, damaged or of a newer version.
 * The data folder is then as before.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const dataFolder = resolve(options.dataFolder)
  const isNew = !existsSync(dataFolder)
  await statBackup(options.source)
  await checkUnused(dataFolder)
  makeFolder(dataFolder, 0o700)
  // Inside the data folder, because the folder above it may not be writable, and because renaming is then enough.
  const scratch = await openScratchFolder(dataFolder, 'quire-restore-')
  try {
    await checkEmpty(dataFolder, dirname(scratch.path))
    const restored = await unpack(options, scratch.path)
    await checkUnused(dataFolder)
    await placeFiles(scratch.path, dataFolder, dirname(scratch.path))
    return { dataFolder, ...restored }
  } finally {
    await scratch.close()
    if (isNew) removeEmpty(dataFolder)
  }
}

/** @throws {OperatorError} when a process has files of the folder open, also files that are deleted by now. */
async function checkUnused(dataFolder: string): Promise<void> {
  const [user] = await findFolderUsers(dataFolder)
  if (user === undefined) return
  throw new OperatorError(`Process ${user} uses ${dataFolder}. Stop the server, and restore again.`)
}

async function checkEmpty(dataFolder: string, scratch: string): Promise<void> {
  const isAllowed = (name: string) => join(dataFolder, name) === scratch || name === atTopOfDisk
  const names = (await readdir(dataFolder)).filter(name => !isAllowed(name)).sort()
  if (names.length === 0) return
  const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
  throw new OperatorError(
    `${dataFolder} is not empty: it holds ${names.slice(0, 5).join(', ')}${more}. Move it away, or choose another folder with --data.`,
  )
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It has the restored files.
  }
}

/** Writes the files of the backup into the scratch folder and checks them. */
async function unpack({ source, onProgress }: RestoreOptions, scratch: string) {
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
    const version = database.pragma('user_version', { simple: true }) as number
    const known = findKnownSchema(path)
    if (known !== undefined && version > known) {
      throw new OperatorError(
        `${path} in the backup was written by a newer Quire (schema ${version}, this one knows ${known}). Upgrade Quire, and restore again.`,
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
