import { rm } from 'node:fs/promises'
import { diskFull, isDiskFull } from '../base/disk-full.ts'
import { OperatorError } from '../base/operator-error.ts'
import { type Signature, type TrustedKeys, verifySignature } from '../base/signature.ts'
import { ArchiveError } from '../unpack/archive-error.ts'
import type { UnpackLimits } from '../unpack/unpack-limits.ts'
import { removeDownload } from '../web/fetch/download-file.ts'
import { type BundleSource, type FetchedBundle, fetchBundle } from './fetch/fetch-bundle.ts'
import { fetchSignature } from './fetch/fetch-signature.ts'
import { compareLabels, prepareVersion, toVersionId } from './prepare/prepare-version.ts'
import type { HostFolder, HostState } from './versions/host-folder.ts'
import { findTrusted, mayServe } from './versions/trust.ts'
import type { Version, VersionSource } from './versions/version.ts'

export interface UpdateSettings {
  /** null = only what the folder has is served. */
  source: BundleSource | null
  /** The label that a bundle must have; null = any. */
  label: string | null
  /** The SHA-256 that a bundle must have; null = any. */
  sha256: string | null
  /** Only bundles that one of these keys signed are served; null = any. */
  trusted: TrustedKeys | null
  /** Whether a bundle may be served that was signed before the one that is served. */
  allowDowngrade: boolean
  maxBundleBytes: number
  unpackLimits: UnpackLimits
  retries: number
  idleTimeoutMs: number
  /** How many files are compressed at once. */
  threads: number
  /** How many versions stay on the disk, with the current one. */
  keepVersions: number
}

export interface UpdaterOptions {
  settings: UpdateSettings
  folder: HostFolder
  now(): number
  /** Called after the state has the version. */
  activate(version: Version): void
  log: Record<'info' | 'warn', (details: object, message: string) => void>
  onProgress?: ((progress: UpdateProgress) => void) | undefined
}

/** What an update does. */
export type UpdateProgress =
  | { stage: 'fetch'; source: string }
  | { stage: 'unpack'; sizeBytes: number }
  | { stage: 'compress'; done: number; known: number }

export type UpdateOutcome = 'switched' | 'unchanged' | 'held'

export interface Updater {
  /** Returns the version to serve at start; null = there is none. */
  findFirst(): Promise<Version | null>
  /**
   * Fetches the bundle, and serves it. If it fails, nothing changes.
   *
   * @throws {OperatorError}
   */
  update(signal: AbortSignal): Promise<UpdateOutcome>
}

export function createUpdater(options: UpdaterOptions): Updater {
  const { settings, folder, log } = options
  /** A bad bundle of this process, so that it is not fetched at each poll. */
  let refused: Refused | null = null

  async function fetchNext(
    source: BundleSource,
    versions: readonly Version[],
    signal: AbortSignal,
  ): Promise<UpdateOutcome> {
    const signed = await fetchSigned(options, source, versions, signal)
    const same = signed && versions.find(({ sha256 }) => sha256 === signed.sha256)
    if (same) return switchTo(options, await noteSignature(options, same, signed.text))
    if (refused && refused.signature !== signed?.text) refused = null
    const { offered } = await folder.readState()
    const last = versions.find(({ id }) => id === offered?.id)
    const isFitting = last && settings.sha256 === null && fitsLabel(last, settings.label)
    const known = refused?.source ?? (isFitting ? offered?.source : null) ?? null
    options.onProgress?.({ stage: 'fetch', source: source.kind === 'file' ? source.path : source.url.host })
    const bundle = await fetchBundle({
      source,
      known,
      downloadPath: folder.downloadPath,
      maxBytes: settings.maxBundleBytes,
      retries: settings.retries,
      idleTimeoutMs: settings.idleTimeoutMs,
      signal,
      onRetry: (error, waitMs) =>
        log.warn({ reason: error.message, waitMs: Math.round(waitMs) }, 'fetching the bundle again'),
    })
    if (!bundle && refused) throw refused.error
    if (!bundle) return last ? switchTo(options, last) : 'unchanged'
    refused = null
    try {
      const version = await keepVersion(options, versions, { ...bundle, signed }, signal)
      await noteOffered(folder, { id: version.id, source: bundle.source })
      return await switchTo(options, version)
    } catch (error) {
      if (error instanceof ArchiveError) refused = { source: bundle.source, signature: signed?.text, error }
      throw error
    }
  }

  return {
    findFirst: () => findFirst(folder, settings),
    async update(signal) {
      const { source, sha256 } = settings
      try {
        const versions = (await folder.list()).filter(version => mayServe(version, settings.trusted))
        const verified = versions.find(version => version.sha256 === sha256)
        if (verified) return await switchTo(options, verified)
        return source ? await fetchNext(source, versions, signal) : 'unchanged'
      } catch (error) {
        throw signal.aborted ? signal.reason : explain(error)
      }
    },
  }
}

interface Refused {
  source: VersionSource
  signature: string | undefined
  error: ArchiveError
}

function fitsLabel(version: Version, label: string | null): boolean {
  return label === null || version.label === label
}

/** Returns why the version that is served is not the one that the settings ask for; undefined = it is. */
export function whyNotAsked(
  served: Version | null,
  asked: Pick<UpdateSettings, 'label' | 'sha256'>,
): string | undefined {
  if (!served) return 'no version is served yet'
  if (!fitsLabel(served, asked.label)) return `the bundle that is served ${compareLabels(served.label, asked.label)}`
  if (asked.sha256 !== null && served.sha256 !== asked.sha256)
    return `the bundle ${served.sha256} is served, and --sha256 asks for ${asked.sha256}`
  return undefined
}

async function noteOffered(folder: HostFolder, offered: NonNullable<HostState['offered']>): Promise<void> {
  const state = await folder.readState()
  if (JSON.stringify(state.offered) !== JSON.stringify(offered)) await folder.writeState({ ...state, offered })
}

/** Chooses the version of the state, or the newest one. With a label, one that has it. */
async function findFirst(folder: HostFolder, { label, trusted }: UpdateSettings): Promise<Version | null> {
  const { current, held } = await folder.readState()
  const versions = (await folder.list()).filter(version => mayServe(version, trusted))
  const labelled = label === null ? [] : versions.filter(version => fitsLabel(version, label))
  for (const some of [labelled, versions]) {
    const found = some.find(({ id }) => id === current) ?? some.find(({ id }) => !held.includes(id)) ?? some[0]
    if (found) return found
  }
  return null
}

/** A signature that counts, and its text. */
type Signed = Signature & { text: string }

/**
 * Fetches and verifies the signature of the bundle, before the bundle is fetched. Returns null if no keys are given.
 *
 * @throws {OperatorError} when the bundle must not be served.
 */
async function fetchSigned(
  { settings, folder }: UpdaterOptions,
  source: BundleSource,
  versions: readonly Version[],
  signal: AbortSignal,
): Promise<Signed | null> {
  const { trusted, allowDowngrade, idleTimeoutMs } = settings
  if (!trusted) return null
  const text = await fetchSignature(source, { timeoutMs: idleTimeoutMs, signal })
  const signature = verifySignature(text, trusted)
  const { current } = await folder.readState()
  const served = versions.find(({ id }) => id === current)
  const before = served && findTrusted(served, trusted)
  if (before && signature.signedAt < before.signedAt && !allowDowngrade)
    throw new OperatorError(
      `The bundle was signed at ${signature.signedAt}, before the one that is served (${before.signedAt}). To serve it all the same, give --allow-downgrade.`,
    )
  return { ...signature, text }
}

/** Keeps the newest signature of a version, so that it still counts when an earlier key is no longer trusted. */
async function noteSignature(
  { folder, settings }: UpdaterOptions,
  version: Version,
  signature: string,
): Promise<Version> {
  checkLabel(version, settings.label)
  if (version.signature === signature) return version
  const renewed = { ...version, signature }
  await folder.rewrite(renewed)
  return renewed
}

/** Unpacks a bundle beside the other versions, and returns it as a complete version. */
async function keepVersion(
  { settings, folder, now, log, onProgress }: UpdaterOptions,
  versions: readonly Version[],
  bundle: FetchedBundle & { signed: Signed | null },
  signal: AbortSignal,
): Promise<Version> {
  const { file, sizeBytes, sha256, source, signed } = bundle
  const isDownload = source.address !== null
  try {
    if (settings.sha256 !== null && settings.sha256 !== sha256)
      throw new ArchiveError(`The bundle has the SHA-256 ${sha256}, and --sha256 asks for ${settings.sha256}.`)
    if (signed && (signed.sha256 !== sha256 || signed.sizeBytes !== sizeBytes))
      throw new ArchiveError(
        `The bundle is not the archive that was signed at ${signed.signedAt}: it was changed, or it has the signature of another one.`,
      )
    const id = toVersionId(sha256)
    const known = versions.find(version => version.id === id)
    if (known) {
      checkLabel(known, settings.label)
      return known
    }
    log.info({ source: source.name, sizeBytes, sha256 }, 'unpacking the bundle')
    onProgress?.({ stage: 'unpack', sizeBytes })
    const work = folder.workPath()
    const { unpackLimits: limits, label, threads } = settings
    try {
      const version = await prepareVersion({
        ...{ file, sizeBytes, sha256, source, signature: signed?.text, folder: work, limits, label, threads },
        now: now(),
        signal,
        onFiles: (done, known) => onProgress?.({ stage: 'compress', done, known }),
      })
      await folder.adopt(work, id)
      return version
    } finally {
      await rm(work, { recursive: true, force: true, maxRetries: 3 })
    }
  } finally {
    // Good or bad, it is fetched from its beginning the next time. An interrupted process keeps it.
    if (isDownload && !signal.aborted) await removeDownload(file)
  }
}

function checkLabel(version: Version, label: string | null): void {
  if (fitsLabel(version, label)) return
  throw new ArchiveError(`The bundle ${compareLabels(version.label, label)}.`)
}

async function switchTo(options: UpdaterOptions, version: Version): Promise<UpdateOutcome> {
  const { folder, settings, activate } = options
  const state = await folder.readState()
  if (state.held.includes(version.id)) return 'held'
  const isNew = state.current !== version.id
  if (isNew) await folder.writeState({ ...state, current: version.id })
  activate(version)
  if (!isNew) return 'unchanged'
  await removeOld(folder, settings.keepVersions)
  return 'switched'
}

/** Removes the oldest versions. A version that was rolled back counts, so that it is not fetched again. */
async function removeOld(folder: HostFolder, keep: number): Promise<void> {
  const versions = await folder.list()
  const state = await folder.readState()
  const { current, held } = state
  const others = versions.filter(({ id }) => id !== current)
  const gone = others.slice(Math.max(0, keep - 1))
  for (const { id } of gone) await folder.remove(id)
  const left = held.filter(id => !gone.some(version => version.id === id))
  if (left.length < held.length) await folder.writeState({ ...state, held: left })
}

function explain(error: unknown): unknown {
  if (error instanceof OperatorError) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (isDiskFull(error)) return new OperatorError(`${diskFull} Free some space.`, 1, { cause: error })
  return code === undefined
    ? error
    : new OperatorError(`The bundle could not be stored (${message}).`, 1, { cause: error })
}
