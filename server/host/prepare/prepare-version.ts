import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { flushAll } from '../../base/flush.ts'
import { ArchiveError, showName } from '../../unpack/archive-error.ts'
import { unpackArchive } from '../../unpack/unpack-archive.ts'
import type { UnpackLimits } from '../../unpack/unpack-limits.ts'
import { filesFolder, type Version, type VersionSource, writeVersion } from '../versions/version.ts'
import { compressFiles } from './compress-files.ts'

export interface PrepareOptions {
  /** The archive. */
  file: string
  sizeBytes: number
  sha256: string
  source: VersionSource
  /** A new folder for the version. If it fails, the caller removes the folder. */
  folder: string
  limits: UnpackLimits
  /** The label that the bundle must have; null = any. */
  label: string | null
  /** How many files are compressed at once; 0 = none is compressed. */
  threads: number
  now: number
  signal: AbortSignal
}

const entrance = 'index.html'
const reportName = 'export-report.json'
/** A larger report is not read. */
const maxReportBytes = 32 * 1024 ** 2

/** The id of the version that an archive becomes. */
export function toVersionId(sha256: string): string {
  return sha256.slice(0, 16)
}

/**
 * Unpacks an archive, which may be hostile, compresses its files and writes all of them to the disk.
 *
 * @throws {ArchiveError} when the archive cannot be served.
 */
export async function prepareVersion(options: PrepareOptions): Promise<Version> {
  const { file, sizeBytes, sha256, source, folder, limits, label, threads, now, signal } = options
  const files = join(folder, filesFolder)
  const paths = await unpackArchive({ file, folder: files, limits, signal })
  if (!paths.includes(entrance))
    throw new ArchiveError(
      `The archive has no ${entrance} at its top, so it is not a site. Make it with npx quire export.`,
    )
  const report = paths.includes(reportName) ? await readReport(join(files, reportName)) : noReport
  if (label !== null && report.label !== label) throw new ArchiveError(explainLabel(report.label, label))
  const packed = threads === 0 ? [] : await compressFiles(folder, paths, threads, signal)
  const version = {
    id: toVersionId(sha256),
    sha256,
    sizeBytes,
    files: paths.length,
    ...report,
    unpackedAt: now,
    source,
  }
  const own = await writeVersion(folder, version)
  await flushAll(folder, [...paths.map(path => join(filesFolder, path)), ...packed, own])
  signal.throwIfAborted()
  return version
}

function explainLabel(found: string | null, wanted: string): string {
  const own = found === null ? 'has no version' : `has the version ${showName(found)}`
  return `The bundle ${own}, and --version asks for ${showName(wanted)}.`
}

type Reported = Pick<Version, 'label' | 'domain' | 'deployment' | 'pages' | 'products'>

const noReport: Reported = { label: null, domain: null, deployment: null, pages: null, products: [] }

/** Reads what the report of an export says. Archives of other programs have none, or another file with this name. */
async function readReport(file: string): Promise<Reported> {
  if ((await stat(file)).size > maxReportBytes) return noReport
  let report: unknown
  try {
    report = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return noReport
    throw error
  }
  const { version, domain, deployment, pages, keptFeatures } = (report ?? {}) as Record<string, unknown>
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 500) : null)
  const kept = Array.isArray(keptFeatures) ? keptFeatures : []
  return {
    label: text(version),
    domain: text(domain),
    deployment: text(deployment),
    pages: typeof pages === 'number' ? pages : null,
    products: kept.flatMap(each => text((each as { product?: unknown } | null)?.product) ?? []),
  }
}
