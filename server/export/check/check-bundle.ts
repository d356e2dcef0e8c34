import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ArchiveError } from '../../unpack/archive-error.ts'
import { detectFormat, unpackArchive } from '../../unpack/unpack-archive.ts'
import type { UnpackLimits } from '../../unpack/unpack-limits.ts'
import { findBrowser, installCommand } from '../../web/browser/find-browser.ts'
import { BrowserStartError } from '../../web/browser/launch.ts'
import { type BundleViewer, openBundleViewer } from '../../web/browser/viewer.ts'
import type { Verify } from '../model/options.ts'
import { listFiles, readReport } from './bundle-files.ts'
import { allowsHost, checkFiles, type FileFindings } from './check-files.ts'
import { checkPages } from './check-pages.ts'
import type { BundleCheck, BundleFault } from './check-result.ts'
import { spreadSample } from './spread-sample.ts'

export interface CheckOptions {
  /** A zip, a tar.gz or a folder with the files of a bundle. Nothing in it is changed. */
  bundle: string
  /** A new folder for the files of an archive and the profile of the browser. The caller removes it. */
  workFolder: string
  verify: Verify
  /** As for an export. */
  allowNoSandbox: boolean
  limits: { pageTimeoutMs: number; pageRequests: number }
  unpackLimits: UnpackLimits
  signal: AbortSignal
}

/** Max pages that a browser opens by default. With `verify: full`, it opens all pages. */
const sampleSize = 10

/** Checks a bundle that was made earlier. Faults of the bundle are in the result. */
export async function checkBundle(options: CheckOptions): Promise<BundleCheck> {
  const { bundle, workFolder, signal } = options
  await mkdir(workFolder, { recursive: true })
  if ((await stat(bundle)).isDirectory()) return checkFolder(options, bundle, emptyCheck('folder'))
  const check = { ...emptyCheck((await detectFormat(bundle)) ?? 'zip'), ...(await measure(bundle)) }
  const folder = join(workFolder, 'bundle')
  try {
    await unpackArchive({ file: bundle, folder, limits: options.unpackLimits, signal })
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    const unopened = 'No page was opened in a browser, because the archive cannot be unpacked.'
    return { ...check, unopened, faults: [{ page: null, place: null, what: error.message }] }
  }
  return checkFolder(options, folder, check)
}

function emptyCheck(kind: BundleCheck['kind']): BundleCheck {
  const nothing = { sizeBytes: null, sha256: null, domain: null, version: null, unopened: null }
  return { kind, ...nothing, pages: 0, files: 0, openedPages: [], faults: [], notes: [] }
}

async function measure(file: string): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return { sizeBytes: (await stat(file)).size, sha256: hash.digest('hex') }
}

async function checkFolder(options: CheckOptions, folder: string, check: BundleCheck): Promise<BundleCheck> {
  const { paths, strange } = await listFiles(folder)
  const read = await readReport(folder)
  const report = typeof read === 'string' ? null : read
  const faults: BundleFault[] = strange.map(page => ({ page, place: null, what: 'is neither a file nor a folder' }))
  if (typeof read === 'string') faults.push({ page: null, place: null, what: read })
  const files = await checkFiles(folder, paths, report, options.signal)
  const opened = await openPages(options, folder, files, report)
  return {
    ...check,
    domain: report?.domain ?? null,
    version: report?.version ?? null,
    pages: files.pages.length,
    files: paths.length,
    openedPages: opened.pages,
    unopened: opened.unopened,
    faults: [...faults, ...files.faults, ...opened.faults],
    notes: [...files.notes, ...opened.notes],
  }
}

async function openPages(
  { verify, workFolder, limits, allowNoSandbox, signal }: CheckOptions,
  folder: string,
  { pages, sources }: FileFindings,
  report: Parameters<typeof checkPages>[3],
): Promise<Pick<BundleCheck, 'faults' | 'notes' | 'unopened'> & { pages: string[] }> {
  const executablePath = verify === 'static' ? null : findBrowser()
  if (!executablePath || pages.length === 0)
    return { pages: [], faults: [], notes: [], unopened: explainUnopened(verify, pages.length) }
  const sample = verify === 'full' ? [...pages] : spreadSample(pages, sampleSize)
  let viewer: BundleViewer | null = null
  try {
    viewer = await openBundleViewer({
      executablePath,
      profileFolder: join(workFolder, 'browser'),
      allowNoSandbox,
      ...limits,
      signal,
      isOutside: url => allowsHost(sources, url),
    })
    return { pages: sample, unopened: null, ...(await checkPages(folder, sample, viewer, report)) }
  } catch (error) {
    if (!(error instanceof BrowserStartError)) throw error
    return { pages: [], faults: [], notes: [], unopened: `No page was opened: ${unchecked}. ${error.message}` }
  } finally {
    await viewer?.close()
  }
}

const unchecked = 'requests, errors and text of the pages were not checked'

function explainUnopened(verify: Verify, pages: number): string {
  if (pages === 0) return 'No page was opened in a browser, because the bundle has none.'
  return verify === 'static'
    ? `No page was opened in a browser, because of --verify static: ${unchecked}.`
    : `No page was opened, because no Chromium was found: ${unchecked}. To install one: ${installCommand()}`
}
