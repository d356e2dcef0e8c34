import { basename } from 'node:path'
import { ArchiveError } from '../../unpack/archive-error.ts'
import { readArchivedFile } from '../../unpack/read-archived-file.ts'
import { defaultUnpackLimits } from '../../unpack/unpack-limits.ts'
import { type ExportReport, notJudged } from '../model/report.ts'

const reportFile = 'export-report.json'
const maxReportBytes = 32 * 1024 ** 2
/** How much of a tar.gz is decompressed to find the report: its files are sorted by name, so large ones may stand before it. */
const maxTarBytes = 1024 ** 3

/**
 * Reads the report of a bundle out of its archive. The fields that a report of an older version lacks are empty.
 *
 * @return a sentence that says why there is none to read
 */
export async function readBundleReport(file: string): Promise<ExportReport | string> {
  try {
    const content = await readArchivedFile(file, reportFile, {
      limits: { zip: defaultUnpackLimits, 'tar.gz': { ...defaultUnpackLimits, totalBytes: maxTarBytes } },
      maxBytes: maxReportBytes,
    })
    if (!content) return `The bundle has no ${reportFile}.`
    return toReport(content) ?? `${reportFile} in the bundle is not the report of an export.`
  } catch (error) {
    if (error instanceof ArchiveError) return `The report cannot be read. ${error.message}`
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return `The file ${basename(file)} does not exist.`
    throw error
  }
}

function toReport(content: Buffer): ExportReport | undefined {
  let given: Partial<ExportReport> | null
  try {
    given = JSON.parse(content.toString())
  } catch {
    return undefined
  }
  if (typeof given?.domain !== 'string' || typeof given.pages !== 'number') return undefined
  return { ...emptyReport, ...given } as ExportReport
}

/** A report without entries. */
export const emptyReport: Omit<ExportReport, 'domain' | 'pages'> = {
  version: null,
  stamp: null,
  deployment: 'air-gapped',
  renderedPages: [],
  comparedPages: [],
  files: 0,
  redirects: [],
  deadLinks: [],
  missingFiles: [],
  skipped: [],
  excludedPages: [],
  removedFeatures: [],
  frozenReferences: [],
  keptFeatures: [],
  packedThirdParty: [],
  removedThirdParty: [],
  unresolved: [],
  offlineSearch: null,
  siteSearch: null,
  scripts: notJudged,
  differences: [],
  notes: [],
}
