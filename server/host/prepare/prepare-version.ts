import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { flushAll } from '../../base/flush.ts'
import { createQueue } from '../../base/queue.ts'
import { ArchiveError, showName } from '../../unpack/archive-error.ts'
import { unpackArchive } from '../../unpack/unpack-archive.ts'
import type { UnpackLimits } from '../../unpack/unpack-limits.ts'
import {
  type Encoding,
  encodings,
  filesFolder,
  packedFolder,
  type Version,
  type VersionSource,
  writeVersion,
} from '../versions/version.ts'

interface PrepareOptions {
  /** The archive. */
  file: string
  sizeBytes: number
  sha256: string
  source: VersionSource
  /** The signature that was verified; undefined = none was asked for. */
  signature?: string | undefined
  /** A new folder for the version. If it fails, the caller removes the folder. */
  folder: string
  limits: UnpackLimits
  /** The label that the bundle must have; null = any. */
  label: string | null
  /** How many files are compressed at once; 0 = none is compressed. */
  threads: number
  now: number
  signal: AbortSignal
  /** Called when files of the version were compressed. */
  onFiles?: ((done: number, known: number) => void) | undefined
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
  const { file, sizeBytes, sha256, source, signature, folder, limits, label, threads, now, signal, onFiles } = options
  const files = join(folder, filesFolder)
  const paths = await unpackArchive({ file, folder: files, limits, signal })
  if (!paths.includes(entrance))
    throw new ArchiveError(
      `The archive has no ${entrance} at its top, so it is not a site. Make it with npx quire export.`,
    )
  const report = paths.includes(reportName) ? await readReport(join(files, reportName)) : noReport
  if (label !== null && report.label !== label)
    throw new ArchiveError(`The bundle ${compareLabels(report.label, label)}.`)
  const packed = threads === 0 ? [] : await compressFiles({ folder, paths, threads, signal, onFiles })
  const version = {
    id: toVersionId(sha256),
    sha256,
    sizeBytes,
    files: paths.length,
    ...report,
    unpackedAt: now,
    source,
    ...(signature !== undefined && { signature }),
  }
  const own = await writeVersion(folder, version)
  await flushAll(folder, [...paths.map(path => join(filesFolder, path)), ...packed, own])
  signal.throwIfAborted()
  return version
}

/** Says which version a bundle has, and which one the host shall have. */
export function compareLabels(found: string | null, wanted: string | null): string {
  const own = found === null ? 'has no version' : `has the version ${showName(found)}`
  return `${own}, and --version asks for ${showName(wanted ?? '')}`
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

/** A larger file is compressed as a stream. */
const maxWholeBytes = 1024 ** 2
/** A compressed file that is hardly smaller is not worth the time to unpack it. */
const worthwhileShare = 0.95
/** Files that wait in the queue. */
const batch = 256

/** Brotli at 6 makes the Python docs 15 % smaller than gzip at 6, in 1.7 times the CPU; at 9 it takes 9 times as long for 2 % more. */
const brotliOptions = (sizeBytes: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: sizeBytes },
})
const gzipOptions = { level: 6 }

const brotliWhole = promisify(brotliCompress)
const gzipWhole = promisify(gzip)

/**
 * Compresses the files of a version once, so that requests need not. Originals stay, for clients that accept no compression.
 *
 * @param paths of the files, relative to the folder with the files.
 * @return the paths of the new files, relative to `folder`.
 */
async function compressFiles({
  folder,
  paths,
  threads,
  signal,
  onFiles,
}: Pick<PrepareOptions, 'folder' | 'threads' | 'signal' | 'onFiles'> & { paths: readonly string[] }): Promise<
  string[]
> {
  const written: string[] = []
  const queue = createQueue(threads)
  for (let at = 0; at < paths.length; at += batch) {
    onFiles?.(at, paths.length)
    const some = paths.slice(at, at + batch)
    await Promise.all(
      some.map(path => queue.add(async () => written.push(...(await compressFile(folder, path, signal))))),
    )
  }
  return written
}

async function compressFile(folder: string, path: string, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted()
  const file = join(folder, filesFolder, path)
  const { size } = await stat(file)
  if (!isCompressible(path, size)) return []
  const written: string[] = []
  const whole = size <= maxWholeBytes ? await readFile(file) : null
  for (const encoding of encodings) {
    const to = join(packedFolder(encoding), path)
    const target = join(folder, to)
    await mkdir(dirname(target), { recursive: true })
    if (whole) {
      const packed = await packWhole(encoding, whole)
      if (packed.length > size * worthwhileShare) continue
      await writeFile(target, packed)
    } else {
      const packer = encoding === 'br' ? createBrotliCompress(brotliOptions(size)) : createGzip(gzipOptions)
      await pipeline(createReadStream(file), packer, createWriteStream(target), { signal })
      if ((await stat(target)).size > size * worthwhileShare) {
        await rm(target)
        continue
      }
    }
    written.push(to)
  }
  return written
}

function packWhole(encoding: Encoding, bytes: Buffer): Promise<Buffer> {
  return encoding === 'br' ? brotliWhole(bytes, brotliOptions(bytes.length)) : gzipWhole(bytes, gzipOptions)
}

/** Files that become smaller by compression. Pictures, videos, fonts in WOFF and archives are compressed already. */
const compressibleExtensions = new Set(
  (
    '.atom .bmp .cjs .css .csv .eot .htm .html .ico .js .json .jsonld .map .md .mjs .otf .rss .svg .ttf .txt .vtt .wasm ' +
    '.webmanifest .xhtml .xml .xsl .yaml .yml'
  ).split(' '),
)

/** A smaller file fits into one packet with its headers. */
const minCompressedBytes = 512

/** Decides by name and size whether compressing a file is worth it. */
function isCompressible(path: string, sizeBytes: number): boolean {
  return sizeBytes >= minCompressedBytes && compressibleExtensions.has(extname(path).toLowerCase())
}
