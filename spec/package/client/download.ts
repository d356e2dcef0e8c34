import { rm } from 'node:fs/promises'
import type { QuireClient } from '../../../generated/client.ts'
import { describeCause, QuireError } from './error.ts'
import { getData } from './get-data.ts'
import type { Data } from './method.ts'
import { PartFile } from './part-file.ts'
import { growWait, readRetryAfter, sleep } from './retry.ts'
import { checkTarget, moveTo, WriteError } from './target-file.ts'

export interface DownloadOptions {
  /** Called after each part that arrives. */
  onProgress?: (progress: DownloadProgress) => void
  /** Ends the download. What has arrived stays in FILE.part, and the next download goes on there. */
  signal?: AbortSignal | undefined
  /** Replaces the global fetch. It gets the link and no API key. */
  fetch?: (url: string, init: { headers: Record<string, string>; signal: AbortSignal }) => Promise<Response>
  /** A connection that brings nothing for this long is given up. Default: 30 seconds. */
  stallMs?: number
}

export interface DownloadProgress {
  receivedBytes: number
  sizeBytes: number
}

type Bundle = Data<'generateStaticExportBundle'>
type LinkClient = Pick<QuireClient, 'generateStaticExportBundle'>

const maxFailures = 5
const maxWaitMs = 300_000
/** A connection that brings less than this has failed. */
const leastBytes = 64 * 1024

/**
 * Downloads the bundle of a completed job to `file`, which is replaced when the bundle is whole and has the right SHA-256. Until
 * then the bytes are in `file` with `.part` added. A broken download goes on where it stopped, also in another process; an
 * expired link is replaced. If nothing arrived, no file is left.
 *
 * @throws {QuireError} if the bundle cannot be had, or is not what the API announced
 * @throws {Error} if the file cannot be written: a sentence that names it
 */
export async function downloadBundle(
  client: LinkClient,
  { jobId, file }: { jobId: string; file: string },
  options: DownloadOptions = {},
): Promise<Bundle> {
  await checkTarget(file)
  const getLink = () => requestLink(client, jobId, options.signal)
  const announced = await getLink()
  const part = await PartFile.open(`${file}.part`)
  try {
    const bundle = await fill(part, { announced, getLink }, options)
    await moveTo(file, part.path)
    return bundle
  } finally {
    await part.close()
    if (part.sizeBytes === 0) await rm(part.path, { force: true })
  }
}

function requestLink(client: LinkClient, jobId: string, signal: AbortSignal | undefined): Promise<Bundle> {
  // It can be repeated: an earlier link stays valid.
  const send = () => client.generateStaticExportBundle({ params: { path: { jobId } }, signal })
  return getData('generateStaticExportBundle', { send, isWhole: isBundle, signal })
}

function isBundle({ bundleUrl, sizeBytes, sha256 }: Bundle): boolean {
  return URL.canParse(bundleUrl) && Number.isSafeInteger(sizeBytes) && sizeBytes >= 0 && typeof sha256 === 'string'
}

async function fill(
  part: PartFile,
  { announced, getLink }: { announced: Bundle; getLink: () => Promise<Bundle> },
  options: DownloadOptions,
): Promise<Bundle> {
  let bundle = announced
  // An older file may be the beginning of another bundle.
  let isOwn = part.sizeBytes === 0
  let most = part.sizeBytes
  for (let failures = 0; ; ) {
    const failure = await receive(part, bundle, options)
    if (failure === undefined) {
      if ((await part.finish()) === bundle.sha256) return bundle
      await part.clear()
      if (isOwn) throw new QuireError(undefined, 'The bundle does not have the SHA-256 that the API announced.')
      isOwn = true
      continue
    }
    // Bytes that were there before are no progress: a server that announces too much sends them for ever.
    failures = part.sizeBytes - most >= leastBytes ? 0 : failures + 1
    most = Math.max(most, part.sizeBytes)
    if (failures >= maxFailures || !failure.canPass) throw failure.error
    await sleep(Math.min(failure.error.retryAfterMs ?? growWait(failures + 1), maxWaitMs), options.signal)
    if (failure.isLinkRefused) bundle = await getLink()
  }
}

interface Failure {
  error: QuireError
  /** Whether another attempt may succeed. */
  canPass: boolean
  /** Whether the link has expired or was revoked. */
  isLinkRefused: boolean
}

/** Receives the bytes that the part lacks; undefined = it has all of them. */
async function receive(part: PartFile, bundle: Bundle, options: DownloadOptions): Promise<Failure | undefined> {
  const { sizeBytes, bundleUrl } = bundle
  const { signal, stallMs = 30_000, onProgress, fetch = globalThis.fetch } = options
  if (part.sizeBytes > sizeBytes) await part.clear()
  if (part.sizeBytes === sizeBytes) return undefined
  const stall = new AbortController()
  const timer = setTimeout(() => stall.abort(), stallMs)
  try {
    const response = await fetch(bundleUrl, {
      headers: { 'Accept-Encoding': 'identity', ...(part.sizeBytes > 0 && { Range: `bytes=${part.sizeBytes}-` }) },
      signal: signal ? AbortSignal.any([signal, stall.signal]) : stall.signal,
    })
    const refusal = await continueAt(part, response)
    if (refusal || !response.body) return refusal ?? fail('The answer to the link has no body.')
    const reader = response.body.getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const bytes = next.value
      timer.refresh()
      if (part.sizeBytes + bytes.length > sizeBytes) {
        await part.clear()
        return fail(`The bundle has more than the ${sizeBytes} bytes that the API announced.`, { canPass: false })
      }
      await part.append(bytes)
      onProgress?.({ receivedBytes: part.sizeBytes, sizeBytes })
    }
    return part.sizeBytes === sizeBytes
      ? undefined
      : fail(`The download ended after ${part.sizeBytes} of ${sizeBytes} bytes.`)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof WriteError) throw error
    const reason = stall.signal.aborted ? `nothing arrived for ${stallMs / 1000} seconds` : describeCause(error)
    return fail(`The download stopped after ${part.sizeBytes} of ${sizeBytes} bytes: ${reason}.`)
  } finally {
    clearTimeout(timer)
    stall.abort()
  }
}

/** Prepares the part for the body of the answer. Returns a failure if the answer does not begin where the part ends. */
async function continueAt(part: PartFile, response: Response): Promise<Failure | undefined> {
  const { status, headers } = response
  if (status === 200) {
    // The server ignores Range, and sends the whole bundle.
    await part.clear()
    return undefined
  }
  const [, start] = /^bytes (\d+)-/.exec(headers.get('Content-Range') ?? '') ?? []
  if (status === 206 && Number(start) === part.sizeBytes) return undefined
  const retryAfterMs = readRetryAfter(headers)
  const requestId = headers.get('X-Request-Id') ?? undefined
  const details = { status, requestId, retryAfterMs }
  if (status === 206 || status === 416) {
    await part.clear()
    return fail(`The server sent another part of the bundle than the one that is missing.`, { details })
  }
  const isLinkRefused = [401, 403, 404, 410].includes(status)
  const canPass = isLinkRefused || [408, 429, 500, 502, 503, 504].includes(status)
  return fail(`The link to the bundle was answered ${status}.`, { details, canPass, isLinkRefused })
}

function fail(
  problem: string,
  {
    details = {},
    canPass = true,
    isLinkRefused = false,
  }: { details?: ConstructorParameters<typeof QuireError>[2]; canPass?: boolean; isLinkRefused?: boolean } = {},
): Failure {
  return { error: new QuireError(undefined, problem, details), canPass, isLinkRefused }
}
