import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { digest } from '../../base/digest.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { downloadFile } from '../../web/fetch/download-file.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { VersionSource } from '../versions/version.ts'

/** Where bundles come from: a file or an http(s) address. */
export type BundleSource = { kind: 'file'; path: string } | { kind: 'url'; url: URL }

/** An archive on the disk that was not unpacked yet. */
export interface FetchedBundle {
  file: string
  sizeBytes: number
  sha256: string
  source: VersionSource
}

export interface FetchBundleOptions {
  source: BundleSource
  downloadPath(address: string): string
  maxBytes: number
  retries: number
  idleTimeoutMs: number
  /** The source of the version that would not be fetched again; null = none. */
  known: VersionSource | null
  signal: AbortSignal
  onRetry(error: Error, waitMs: number): void
}

/**
 * Fetches the archive.
 *
 * @return null = it is the known version.
 * @throws {OperatorError} with a sentence for the operator. It never contains the link.
 */
export async function fetchBundle(options: FetchBundleOptions): Promise<FetchedBundle | null> {
  const { source } = options
  return source.kind === 'file' ? readFileBundle(source.path, options) : downloadBundle(source.url, options)
}

/** Identifies an address without its query, which has the signature of a link. */
export function digestAddress({ origin, pathname }: URL): string {
  return digest(`${origin}${pathname}`)
}

async function readFileBundle(path: string, { known, maxBytes }: FetchBundleOptions): Promise<FetchedBundle | null> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) throw new OperatorError(`There is no bundle at ${path}.`)
  if (found.size > maxBytes) throw new OperatorError(tooLarge(maxBytes))
  // The size and the time of a file say whether it changed, as an ETag does.
  const etag = `"${found.size}-${found.mtimeMs}"`
  const name = basename(path)
  if (known?.address === null && known.name === name && known.etag === etag) return null
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) hash.update(chunk as Buffer)
  const source = { name, address: null, etag, lastModified: null }
  return { file: path, sizeBytes: found.size, sha256: hash.digest('hex'), source }
}

async function downloadBundle(url: URL, options: FetchBundleOptions): Promise<FetchedBundle | null> {
  const { known, downloadPath, maxBytes, retries, idleTimeoutMs, signal, onRetry } = options
  const address = digestAddress(url)
  const file = downloadPath(address)
  const unless = known?.address === address ? known : { etag: null, lastModified: null }
  try {
    const download = await downloadFile({ url, file, maxBytes, unless, retries, idleTimeoutMs, signal, onRetry })
    if (!download) return null
    const { sizeBytes, sha256, validators } = download
    return { file, sizeBytes, sha256, source: { name: url.host, address, ...validators } }
  } catch (error) {
    throw error instanceof FetchError ? explain(error, url, maxBytes) : error
  }
}

/** Explains a failed request to the operator, without the link. */
export function explain(error: FetchError, { host }: URL, maxBytes: number): OperatorError {
  const { status, code, message } = error
  const why =
    status === 401 || status === 403
      ? `${host} refuses the link of the bundle (status ${status}): it has expired or is wrong. Get a new link.`
      : status === 404 || status === 410
        ? `${host} has no bundle at this link (status ${status}). Get a new link.`
        : code === 'too_large'
          ? tooLarge(maxBytes)
          : `The bundle could not be fetched from ${host}: ${message}.`
  return new OperatorError(why, 1, { cause: error })
}

function tooLarge(maxBytes: number): string {
  return `The bundle is larger than ${Math.floor(maxBytes / 1024 ** 2)} MB. Raise --max-bundle-mb if it is right.`
}
