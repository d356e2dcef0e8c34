import { escapeControls } from '../base/escape-controls.ts'
import { describeOutcome } from '../export/bundle/describe-outcome.ts'
import type { ExportResult } from '../export/model/options.ts'

/** Max printed notes, and max sentences with these notes; the report has all. Some notes mean that the bundle is useless. */
const maxNotes = 3
const maxSentences = 9

/** Describes a finished export in at most 12 lines: the archive, then what was lost, removed and frozen. */
export function summarize(
  outFile: string,
  { pageCount, sizeBytes, sha256, report }: ExportResult,
  seconds: number,
): string {
  const pages = `${pageCount} ${pageCount === 1 ? 'page' : 'pages'}`
  const head = `${outFile}: ${pages}, ${(sizeBytes / megabyte).toFixed(1)} MB, ${seconds.toFixed(1)} s`
  const sentences = [...report.notes.slice(0, maxNotes), ...describeOutcome(report)]
  const shown = sentences.slice(0, maxSentences)
  const rest = sentences.length - shown.length + Math.max(0, report.notes.length - maxNotes)
  const more = rest === 0 ? 'the details' : `${rest} more ${rest === 1 ? 'note' : 'notes'} and the details`
  const lines = [head, `sha256 ${sha256}`, ...shown]
  if (sentences.length > 0) lines.push(`export-report.html in the bundle has ${more}.`)
  return lines.map(escapeControls).join('\n')
}

export const megabyte = 1024 ** 2
