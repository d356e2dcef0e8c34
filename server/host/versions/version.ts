import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** How the files of a version are compressed, best first. */
export const encodings = ['br', 'gzip'] as const

export type Encoding = (typeof encodings)[number]

/** A complete version of a site, as its file `version.json` describes it. */
export interface Version {
  /** The first 16 hex digits of the SHA-256 of its archive. */
  id: string
  sha256: string
  /** Size of the archive. */
  sizeBytes: number
  files: number
  /** From the report of the export; null = the archive has no report, or it does not say. */
  label: string | null
  domain: string | null
  deployment: string | null
  pages: number | null
  /** Names of the known products in its pages. */
  products: string[]
  /** When it was unpacked, in milliseconds since 1970. */
  unpackedAt: number
  source: VersionSource
  /** The signature that was verified, see `Signature`; absent = it was not asked for. */
  signature?: string
}

/** Where the archive came from. */
export interface VersionSource {
  /** A host or the name of a file. Never a link, because whoever knows a link may fetch the bundle. */
  name: string
  /** The SHA-256 of the address without its query; null = a file. */
  address: string | null
  etag: string | null
  lastModified: string | null
}

/** Paths in the folder of a version. */
export const filesFolder = 'files'
export const versionFile = 'version.json'

/** The folder of the compressed files. They have the names of the originals. */
export function packedFolder(encoding: Encoding): string {
  return encoding
}

export async function writeVersion(folder: string, version: Version): Promise<string> {
  await writeFile(join(folder, versionFile), `${JSON.stringify(version, null, 2)}\n`)
  return versionFile
}

/** Returns the version in a folder; null = it is not a complete version. */
export async function readVersion(folder: string): Promise<Version | null> {
  try {
    const version = JSON.parse(await readFile(join(folder, versionFile), 'utf8')) as Version
    return /^[0-9a-f]{16}$/.test(version.id) && typeof version.unpackedAt === 'number' ? version : null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof SyntaxError || code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}
