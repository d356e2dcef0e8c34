import type { ExportResult } from '../export/model/options.ts'

export function summarize(
  outFile: string,
  { pageCount, sizeBytes, sha256, report }: ExportResult,
  seconds: number,
): string {
  const lines = [
    `${outFile}: ${count(pageCount, 'page', 'pages')}, ${(sizeBytes / megabyte).toFixed(1)} MB, ${seconds.toFixed(1)} s`,
    `sha256 ${sha256}`,
  ]
  const counted: [number, string, string][] = [
    [report.removedFeatures.length, 'product removed', 'products removed'],
    [report.deadLinks.length, 'link to a missing page', 'links to missing pages'],
    [report.missingFiles.length, 'file that could not be fetched', 'files that could not be fetched'],
    [report.skipped.length, 'page left out', 'pages left out'],
    [report.excludedPages.length, 'page excluded by your rules', 'pages excluded by your rules'],
    [
      report.unresolved.length,
      'address that does not resolve in the bundle',
      'addresses that do not resolve in the bundle',
    ],
  ]
  const found = counted.filter(([number]) => number > 0).map(([number, one, many]) => count(number, one, many))
  // Some notes mean that the bundle is useless, so they are shown here and not only in the report.
  lines.push(...report.notes.slice(0, maxNotes))
  if (report.notes.length > maxNotes) found.push(count(report.notes.length - maxNotes, 'more note', 'more notes'))
  if (found.length > 0) lines.push(`${found.join(', ')}; see export-report.html in the bundle`)
  return lines.join('\n')
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

/** Maximum number of printed notes about an export; the report has all. */
export const maxNotes = 5
export const megabyte = 1024 ** 2
