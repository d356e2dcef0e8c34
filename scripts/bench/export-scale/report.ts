import { toTable } from '../export/report.ts'
import type { Machine } from '../http/report.ts'
import type { SizeResult } from './measure-size.ts'

/** Limits for the memory of an export, and for the time per page of the largest site relative to the smallest. */
const maxBytes = 500e6
const maxSlower = 1.2

/** Formats the measurements as Markdown for RESULTS.md. */
export function scaleText(results: readonly SizeResult[], verify: string, machine: Machine): string {
  const heads = [
    'pages',
    'wall s',
    'ms/page',
    'CPU s',
    'CPU ms/page',
    'archive MB',
    'peak MB',
    'MB per tenth of the time',
  ]
  const rows = results.map(({ pages, wallSeconds, cpuSeconds, archiveBytes, peakBytes, tenthsBytes }) => [
    String(pages),
    wallSeconds.toFixed(1),
    ((wallSeconds * 1000) / pages).toFixed(1),
    cpuSeconds?.toFixed(1) ?? '-',
    cpuSeconds ? ((cpuSeconds * 1000) / pages).toFixed(1) : '-',
    megabytes(archiveBytes),
    megabytes(peakBytes),
    tenthsBytes.map(megabytes).join(' '),
  ])
  return [
    `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load average ${machine.loadAverageBefore.toFixed(1)} before ` +
      `and ${machine.loadAverageAfter.toFixed(1)} after; --verify ${verify}.`,
    '',
    ...toTable([heads, ...rows]),
  ].join('\n')
}

/** Returns a sentence for each missed goal. */
export function judgeScale(results: readonly SizeResult[]): string[] {
  const missed = results
    .filter(({ peakBytes }) => peakBytes > maxBytes)
    .map(
      ({ pages, peakBytes }) =>
        `The export of ${pages} pages used ${megabytes(peakBytes)} MB. The limit is ${megabytes(maxBytes)} MB.`,
    )
  const sorted = [...results].sort((a, b) => a.pages - b.pages)
  const [smallest, largest] = [sorted[0], sorted.at(-1)]
  if (!smallest || !largest) return missed
  // Uses CPU time, which depends less on other programs on the machine; wall time where it is not available.
  const perPage = ({ pages, cpuSeconds, wallSeconds }: SizeResult) => (cpuSeconds ?? wallSeconds) / pages
  const ratio = perPage(largest) / perPage(smallest)
  if (ratio > maxSlower)
    missed.push(
      `The time per page with ${largest.pages} pages is ${ratio.toFixed(2)} times the time with ${smallest.pages} pages.`,
    )
  return missed
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
