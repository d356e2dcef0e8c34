import type { ExportReport } from '../../../server/export/model/report.ts'

/** What `quire export --json` prints, as far as the bench reads it. */
export interface PrintedExport {
  pageCount: number
  sizeBytes: number
  sha256: string
  report: Pick<ExportReport, 'deadLinks' | 'missingFiles' | 'unresolved'>
}

/** @throws {Error} when it is not what was expected. */
export function readExport(stdout: string): PrintedExport {
  const printed = JSON.parse(stdout) as PrintedExport
  if (typeof printed.sha256 !== 'string' || !Array.isArray(printed.report?.deadLinks)) {
    throw new Error(`quire export --json printed something else: ${stdout.slice(0, 200)}`)
  }
  return printed
}
