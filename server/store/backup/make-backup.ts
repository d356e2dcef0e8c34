import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../base/operator-error.ts'
import { UnavailableError } from '../../base/unavailable-error.ts'
import type { BundleCondition } from '../../export/jobs/bundle-store.ts'
import { isBundleName } from '../bundle-path.ts'
import type { SchemaSpan } from '../schema-span.ts'
import { openScratchFolder } from '../scratch-folder.ts'
import { sqliteVersion } from '../sqlite-version.ts'
import { type BackupKind, type BackupTarget, checkRoom, checkTarget, publish } from './backup-target.ts'
import type { BackupWriter } from './backup-writer.ts'
import { copyDatabase } from './copy-database.ts'
import { aboutName, type DataFile, isDatabase, listFiles, listTop, mainDatabase, manifestName } from './data-files.ts'
import { createFolderWriter } from './folder-writer.ts'
import { noteBackup } from './last-backup.ts'
import { type BackedUpFile, type BackupAbout, type BackupManifest, backupFormat } from './manifest.ts'
import { listRecordedBundles, type RecordedBundle, removeJobs } from './recorded-bundles.ts'
import { type BundlesElsewhere, checkStored, type StoredBundles } from './stored-bundles.ts'
import { createTarWriter } from './tar-writer.ts'
import { warnOfVisits } from './visits-in-backup.ts'

export interface BackupProgress {
  /** The file that is copied, by its path in the data folder. */
  path: string
  doneBytes: number
  totalBytes: number
}

export interface BackupOptions {
  dataFolder: string
  /** A file that ends in .tar, .tar.gz or .tgz, otherwise a folder. */
  target: string
  /** Whether to replace an existing backup. */
  overwrite: boolean
  /** Whether the data folder notes the backup at once, see `noteBackup`; otherwise the caller does when it was checked. */
  isNoted: boolean
  /** The version of Quire. */
  version: string
  now(): number
  onProgress(progress: BackupProgress): void
  /** Where the server keeps bundles; absent = in the data folder. */
  stored?: StoredBundles | undefined
}

export interface MadeBackup {
  path: string
  kind: BackupKind
  createdAt: number
  /** Number of files of the data folder. */
  files: number
  databases: number
  sizeBytes: number
  /** The storage that has the bundles; null = they are in the backup. */
  bundlesElsewhere: { place: string; bundles: number } | null
  warnings: string[]
}

const hintAtStorage =
  'No bundle is in the data folder. If the server stores them in S3, back up with the same --bundles as the server.'

/** The work on one backup. */
interface Work {
  options: BackupOptions
  writer: BackupWriter
  /** What is in the backup so far, by path. */
  added: Map<string, BackedUpFile>
  warnings: string[]
  progress: CountedProgress
}

interface CountedProgress {
  /** Begins a file. */
  begin(path: string): void
  /** Counts bytes of the file that was begun last. */
  add(bytes: number): void
}

/**
 * Copies a data folder while a server writes to it. The order makes the copy consistent:
 *
 * 1. The main database, as of one instant after the call. So it has every row that was acknowledged before.
 * 2. The databases of visits. The main database has the read positions of logs, and a position is written after its visits. So
 *    the copy always has the visits before a position. Visits that are newer than a position are read from the log again, and
 *    nothing is counted twice.
 * 3. The bundles. A bundle is published before its job is completed, so the bundle of each completed job exists. A job that
 *    is deleted meanwhile loses its bundle, so it is removed from the copy too. Bundles in S3-compatible storage stay there.
 * 4. The keys. A key exists before the first row that needs it.
 *
 * @throws {OperatorError} when the data cannot be read or the backup cannot be written.
 */
export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  const { dataFolder } = options
  if (!existsSync(join(dataFolder, mainDatabase))) {
    throw new OperatorError(
      `There is no database in ${dataFolder}. Give the server's data folder with --data or QUIRE_DATA, or make one with npx quire init.`,
    )
  }
  const target = await checkTarget(options.target, dataFolder, options.overwrite)
  const totalBytes = await measure(dataFolder)
  await checkRoom(target, totalBytes)
  const scratch = await openScratchFolder(dirname(target.path), 'quire-backup-')
  try {
    return await fill(options, target, scratch.path, totalBytes)
  } finally {
    await scratch.close()
  }
}

async function fill(
  options: BackupOptions,
  target: BackupTarget,
  scratch: string,
  totalBytes: number,
): Promise<MadeBackup> {
  const createdAt = options.now()
  const progress = countProgress(options, totalBytes)
  const onBytes = progress.add
  const isFolder = target.kind === 'folder'
  // The staging folder of a tar is the scratch folder, and the archive is in it.
  const file = isFolder ? scratch : join(scratch, 'backup.tar')
  const writer = isFolder
    ? await createFolderWriter(file, onBytes)
    : await createTarWriter({
        file,
        isCompressed: target.kind === 'tar.gz',
        stagingFolder: scratch,
        createdAt: new Date(createdAt),
        onBytes,
      })
  const work: Work = { options, writer, added: new Map(), warnings: [], progress }
  try {
    const elsewhere = await addAll(work, createdAt)
    const sizeBytes = await writer.finish()
    await publish(file, target)
    if (options.isNoted) work.warnings.push(...(await noteBackup(options.dataFolder, createdAt)))
    const files = [...work.added.values()]
    const databases = files.filter(({ schema }) => schema !== undefined).length
    const { path, kind } = target
    const bundlesElsewhere = elsewhere ? { place: elsewhere.place, bundles: elsewhere.fileNames.length } : null
    return {
      path,
      kind,
      createdAt,
      files: files.length,
      databases,
      sizeBytes,
      bundlesElsewhere,
      warnings: work.warnings,
    }
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/** Returns what the backup records of bundles in storage; undefined = the server keeps them in the data folder. */
async function addAll(work: Work, createdAt: number): Promise<BundlesElsewhere | undefined> {
  const { options, writer, added, warnings } = work
  const { dataFolder } = options
  const mainCopy = await writer.stage(mainDatabase)
  const { version: schema, oldest } = await copy(work, mainDatabase, join(dataFolder, mainDatabase), mainCopy)
  if (schema === 0) {
    throw new OperatorError(`${join(dataFolder, mainDatabase)} is empty or not a database of Quire. Restore a backup.`)
  }
  const about: BackupAbout = {
    format: backupFormat,
    createdAt: new Date(createdAt).toISOString(),
    quire: options.version,
    node: process.version,
    sqlite: sqliteVersion,
    schema,
    ...(oldest < schema && { oldestSchema: oldest }),
  }
  await writer.addText(aboutName, `${JSON.stringify(about, undefined, 2)}\n`)
  const recorded = listRecordedBundles(mainCopy)
  const skip = (path: string) => {
    warnings.push(`${path} is a link or not a file. It is not in the backup.`)
  }
  for (const name of await listTop(dataFolder)) {
    for (const file of await listFiles(dataFolder, name, skip)) await addOne(work, file)
  }
  await addReturned(work, recorded)
  const { deletedJobs, elsewhere } = await checkBundles(work, recorded)
  removeJobs(mainCopy, deletedJobs)
  warnings.push(...warnOfVisits(mainCopy, join(dataFolder, mainDatabase), added))
  added.set(mainDatabase, { path: mainDatabase, ...(await writer.addStaged(mainDatabase)), schema })
  const files = [...added.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  const manifest: BackupManifest = { ...about, files, ...(elsewhere && { bundlesElsewhere: elsewhere }), warnings }
  await writer.addText(manifestName, `${JSON.stringify(manifest, undefined, 1)}\n`)
  return elsewhere
}

async function addOne(work: Work, { path, file }: DataFile): Promise<void> {
  const { writer, added } = work
  work.progress.begin(path)
  try {
    if (await isDatabase(file)) {
      const { version: schema } = await copy(work, path, file, await writer.stage(path))
      added.set(path, { path, ...(await writer.addStaged(path)), schema })
    } else added.set(path, { path, ...(await writer.addFile(path, file)) })
  } catch (error) {
    // The server may have deleted the file since it was listed.
    if (existsSync(file)) throw error
  }
}

async function copy({ progress }: Work, path: string, file: string, to: string): Promise<SchemaSpan> {
  progress.begin(path)
  const { size } = await stat(file)
  let countedBytes = 0
  return copyDatabase(file, to, {
    onProgress(share) {
      const bytes = Math.round(size * share)
      progress.add(bytes - countedBytes)
      countedBytes = bytes
    },
  })
}

/** Adds bundles that were moved to `bundles` after it was listed, such as those from `lost`. */
async function addReturned(work: Work, recorded: readonly RecordedBundle[]): Promise<void> {
  for (const { fileName, sizeBytes } of recorded.filter(({ fileName }) => isBundleName(fileName))) {
    const path = `bundles/${fileName}`
    const file = join(work.options.dataFolder, path)
    if (!work.added.has(path) && existsSync(file)) await addOne(work, { path, file, sizeBytes })
  }
}

/**
 * Compares the bundles in the backup or in the storage with what the copied database records. `deletedJobs` were deleted since it
 * was copied.
 */
async function checkBundles(
  work: Work,
  recorded: readonly RecordedBundle[],
): Promise<{ deletedJobs: string[]; elsewhere?: BundlesElsewhere }> {
  const { options, warnings } = work
  const place = options.stored?.place ?? 'the data folder'
  const conditions = await findConditions(work, recorded)
  const warn = ({ jobId }: RecordedBundle, condition: BundleCondition) =>
    warnings.push(`The bundle of ${jobId} is ${condition} in ${place}. Export the site again.`)
  for (const bundle of recorded) if (conditions.get(bundle) === 'damaged') warn(bundle, 'damaged')
  const missing = recorded.filter(bundle => conditions.get(bundle) === 'missing')
  // A job is deleted before its bundle. The storage may therefore still have had the bundle of a job that is gone.
  const doubtful = options.stored ? recorded : missing
  const current = new Set(
    doubtful.length === 0 ? [] : listRecordedBundles(join(options.dataFolder, mainDatabase)).map(({ jobId }) => jobId),
  )
  for (const bundle of missing) if (current.has(bundle.jobId)) warn(bundle, 'missing')
  if (!options.stored && current.size > 0 && missing.length === recorded.length) warnings.push(hintAtStorage)
  const deletedJobs = doubtful.map(({ jobId }) => jobId).filter(jobId => !current.has(jobId))
  if (!options.stored) return { deletedJobs }
  const present = recorded.filter(bundle => current.has(bundle.jobId) && !missing.includes(bundle))
  return { deletedJobs, elsewhere: { place, fileNames: present.map(({ fileName }) => fileName) } }
}

/** A bundle that is not in the map could not be checked, because the storage does not answer. */
async function findConditions(
  { options, added, warnings }: Work,
  recorded: readonly RecordedBundle[],
): Promise<ReadonlyMap<RecordedBundle, BundleCondition>> {
  const inBackup = (bundle: RecordedBundle): BundleCondition => {
    const found = added.get(`bundles/${bundle.fileName}`)
    if (!found) return 'missing'
    return found.sizeBytes === bundle.sizeBytes && found.sha256 === bundle.sha256 ? 'sound' : 'damaged'
  }
  if (!options.stored) return new Map(recorded.map(bundle => [bundle, inBackup(bundle)]))
  try {
    return await checkStored(options.stored, recorded)
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    // The rows and keys are worth a backup all the same.
    warnings.push(
      `${error.message} The backup is complete, but the bundles in ${options.stored.place} were not checked.`,
    )
    return new Map()
  }
}

async function measure(dataFolder: string): Promise<number> {
  const names = [mainDatabase, ...(await listTop(dataFolder))]
  const lists = await Promise.all(names.map(name => listFiles(dataFolder, name, () => {})))
  return lists.flat().reduce((total, { sizeBytes }) => total + sizeBytes, 0)
}

function countProgress({ onProgress }: BackupOptions, totalBytes: number): CountedProgress {
  let doneBytes = 0
  let path = ''
  return {
    begin(next) {
      path = next
    },
    add(bytes) {
      doneBytes += bytes
      onProgress({ path, doneBytes, totalBytes })
    },
  }
}
