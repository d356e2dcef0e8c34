import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { ExportReport } from '../model/report.ts'
import { isRedirectPage } from '../rewrite/layout.ts'
import { servedType } from '../rewrite/media-types.ts'

const reportPage = 'export-report.html'
const reportFile = 'export-report.json'
const maxReportBytes = 256 * 1024 ** 2
const pageTypes = ['text/html', 'application/xhtml+xml']

/** The part of a report that the check needs. */
export type KnownReport = Pick<
  ExportReport,
  'domain' | 'version' | 'stamp' | 'pages' | 'unresolved' | 'differences' | 'keptFeatures'
> & { originFaults: readonly string[] }

/** Lists the files of an unpacked bundle, sorted, and what is neither a file nor a folder. */
export async function listFiles(folder: string): Promise<{ paths: string[]; strange: string[] }> {
  const paths: string[] = []
  const strange: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/')
    if (entry.isFile()) paths.push(path)
    else if (!entry.isDirectory()) strange.push(path)
  }
  return { paths: paths.sort(), strange: strange.sort() }
}

/** Reads the report of a bundle; returns a sentence if there is none, or if it cannot be read. */
export async function readReport(folder: string): Promise<KnownReport | string> {
  const file = join(folder, reportFile)
  const found = await stat(file).catch(() => null)
  if (!found?.isFile()) return `The bundle has no ${reportFile}.`
  if (found.size > maxReportBytes) return `${reportFile} is too large.`
  try {
    const report = JSON.parse(await readFile(file, 'utf8')) as Partial<ExportReport>
    if (typeof report.domain !== 'string' || typeof report.pages !== 'number') throw new Error('no domain')
    const { domain, pages, version = null, stamp = null, unresolved = [], differences = [], keptFeatures = [] } = report
    const { originFaults = [] } = report.scripts ?? {}
    return { domain, pages, version, stamp, unresolved, differences, keptFeatures, originFaults }
  } catch {
    return `${reportFile} is not the report of an export.`
  }
}

/** Decides whether browsers show a file as a page. */
export function isPageFile(path: string): boolean {
  return pageTypes.includes(servedType(path))
}

/** Decides whether a page file is a page of the site: not the report, and no redirect to another page. */
export function isSitePage(path: string, text: string): boolean {
  return path !== reportPage && !isRedirectPage(text)
}

/** Finds the start page: the index.html that is nearest to the root, because a site may begin in a folder. */
export function findStart(pages: readonly string[]): string {
  const depth = (page: string) => page.split('/').length
  const indexes = pages.filter(page => /(?:^|\/)index\.html$/.test(page))
  const [start] = indexes.sort((a, b) => depth(a) - depth(b))
  return start ?? (pages[0] as string)
}
