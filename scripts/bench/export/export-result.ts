import type { ExportReport } from '../../../server/export/model/report.ts'

/** The part of the output of `quire export --json` that the benchmark reads. */
export interface PrintedExport {
  pageCount: number
  sizeBytes: number
  sha256: string
  report: Pick<ExportReport, 'deadLinks' | 'missingFiles' | 'unresolved'>
}

/** @throws {Error} when the output has another form. */
export function readExport(stdout: string): PrintedExport {
  const printed = JSON.parse(stdout) as PrintedExport
  if (typeof printed.sha256 !== 'string' || !Array.isArray(printed.report?.deadLinks)) {
    throw new Error(`Unexpected output of quire export --json: ${stdout.slice(0, 200)}`)
  }
  return printed
}
