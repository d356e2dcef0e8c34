import { escapeControls } from '../../base/escape-controls.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { isBackedUp, mainDatabase } from './data-files.ts'
import type { BundlesElsewhere } from './stored-bundles.ts'

/** The first file of a backup. A restore reads it before the rest, so that it refuses what it cannot use at once. */
export interface BackupAbout {
  format: number
  /** RFC 3339, in UTC. */
  createdAt: string
  quire: string
  node: string
  sqlite: string
  /** The schema version of the main database. */
  schema: number
  /** The oldest schema that a program must know to use it, see `SchemaSpan`; absent = `schema`. */
  oldestSchema?: number
}

export interface BackedUpFile {
  /** In the data folder, with slashes. */
  path: string
  sizeBytes: number
  sha256: string
  /** The schema version of a database. */
  schema?: number
}

/** The last file of a backup: every other file except the first. A backup without it is incomplete. */
export interface BackupManifest extends BackupAbout {
  files: BackedUpFile[]
  /** The bundles that stayed in S3-compatible storage; absent = the backup has all bundles. */
  bundlesElsewhere?: BundlesElsewhere
  /** What was wrong in the data folder when the backup was made. */
  warnings: string[]
}

export const backupFormat = 1
const maxPathLength = 1024

/** @throws {OperatorError} when this version cannot restore the backup. */
export function parseAbout(text: string, knownSchema: number): BackupAbout {
  const about = parseObject(text)
  const { format, createdAt, quire, node, sqlite, schema, oldestSchema = schema } = about as Partial<BackupAbout>
  if (typeof format !== 'number' || typeof schema !== 'number' || typeof quire !== 'string') throw notABackup()
  if (format > backupFormat || (schema > knownSchema && !(Number(oldestSchema) <= knownSchema))) {
    throw new OperatorError(
      `The backup was made by a newer Quire (${show(quire)}, schema ${schema}; this one knows schema ${knownSchema}). Upgrade Quire, and restore again.`,
    )
  }
  return {
    format,
    createdAt: String(createdAt),
    quire,
    node: String(node),
    sqlite: String(sqlite),
    schema,
    ...(oldestSchema !== schema && { oldestSchema: Number(oldestSchema) }),
  }
}

/** @throws {OperatorError} when the text is not a manifest, or names a file that may not be restored. */
export function parseManifest(text: string, about: BackupAbout): BackupManifest {
  const { files, bundlesElsewhere, warnings } = parseObject(text) as Partial<BackupManifest>
  if (!Array.isArray(files)) throw notABackup()
  const known = new Set<string>()
  for (const file of files as Partial<BackedUpFile>[]) {
    const { path, sizeBytes, sha256 } = file ?? {}
    if (typeof path !== 'string' || !Number.isSafeInteger(sizeBytes) || !/^[0-9a-f]{64}$/.test(String(sha256))) {
      throw notABackup()
    }
    checkPath(path)
    if (known.has(path))
      throw new OperatorError(`The backup has ${show(path)} twice. It is damaged. Use another backup.`)
    known.add(path)
  }
  if (!known.has(mainDatabase)) throw notABackup()
  return {
    ...about,
    files,
    ...(bundlesElsewhere && { bundlesElsewhere: parseElsewhere(bundlesElsewhere) }),
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
  }
}

function parseElsewhere({ place, fileNames }: Partial<BundlesElsewhere>): BundlesElsewhere {
  if (typeof place !== 'string' || !Array.isArray(fileNames)) throw notABackup()
  return { place: escapeControls(place.slice(0, maxPathLength)), fileNames: fileNames.map(String) }
}

/**
 * Refuses paths that leave the folder, or that a backup never has. A file such as quire.db-journal would change the database
 * beside it when that is opened.
 *
 * @throws {OperatorError}
 */
export function checkPath(path: string): void {
  const isPlain =
    path.length <= maxPathLength &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: such characters are refused
    !/[\\\x00-\x1f\x7f]|^[a-z]:/i.test(path) &&
    path.split('/').every(part => !['', '.', '..'].includes(part))
  if (isPlain && isBackedUp(path)) return
  throw new OperatorError(`The backup contains ${show(path)}, which no backup of Quire has. Nothing was restored.`)
}

export function notABackup(): OperatorError {
  return new OperatorError('This is not a backup of Quire, or it is damaged. Use another backup.')
}

/** Quotes text of a backup for a message, because it may contain anything. */
export function show(text: string): string {
  return JSON.stringify(text.slice(0, 200))
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Explained below.
  }
  throw notABackup()
}
