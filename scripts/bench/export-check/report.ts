import type { Machine } from '../http/report.ts'

/** Figures of one export. */
export interface MeasuredExport {
  verify: 'static' | 'sample'
  wallSeconds: number
  /** Of the process and its browser. */
  cpuSeconds: number
  /** Load average of the last minute, at the start. */
  loadBefore: number
  pages: number
  /** Pages that the check opened. */
  opened: number
}

/** The exports of one site, in order. */
export interface CheckedSite {
  site: string
  exports: MeasuredExport[]
}

/** The default may take this many times as long as the static check. */
const maxRatio = 2.5

/** Returns a sentence for each site whose check takes too long. */
export function missedGoals(sites: readonly CheckedSite[]): string[] {
  return sites.flatMap(site => {
    const ratio = ratioOf(site, 'wallSeconds')
    if (ratio <= maxRatio) return []
    return [
      `${site.site}: the default takes ${ratio.toFixed(1)} times as long as --verify static, more than ${maxRatio}.`,
    ]
  })
}

/** Returns the results as Markdown for RESULTS.md. */
export function checkText(sites: readonly CheckedSite[], machine: Machine): string {
  const { cores, cpu, node, loadAverageBefore, loadAverageAfter } = machine
  const rows = sites.map(site => {
    const [first] = site.exports.filter(({ verify }) => verify === 'sample')
    const times = (verify: MeasuredExport['verify'], of: 'wallSeconds' | 'cpuSeconds') =>
      site.exports
        .filter(run => run.verify === verify)
        .map(run => run[of].toFixed(1))
        .join(' ')
    const loads = site.exports.map(({ loadBefore }) => loadBefore)
    return [
      site.site,
      `${first?.opened ?? 0} of ${first?.pages ?? 0}`,
      times('static', 'wallSeconds'),
      times('sample', 'wallSeconds'),
      ratioOf(site, 'wallSeconds').toFixed(2),
      times('static', 'cpuSeconds'),
      times('sample', 'cpuSeconds'),
      ratioOf(site, 'cpuSeconds').toFixed(2),
      `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`,
    ]
  })
  const head = [
    ...[
      'site',
      'opened pages',
      'static wall s',
      'default wall s',
      'ratio',
      'static CPU s',
      'default CPU s',
      'ratio',
      'load',
    ],
  ]
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cores} cores (${cpu}), Node ${node}, load average ${loadAverageBefore.toFixed(1)} before and ${loadAverageAfter.toFixed(1)} after.`,
    '',
    line(head),
    line(head.map((_, at) => (at === 0 ? '---' : '---:'))),
    ...rows.map(line),
  ].join('\n')
}

/** Divides the medians of the two kinds of exports. */
function ratioOf({ exports }: CheckedSite, of: 'wallSeconds' | 'cpuSeconds'): number {
  const median = (verify: MeasuredExport['verify']) => {
    const sorted = exports.flatMap(run => (run.verify === verify ? [run[of]] : [])).sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  }
  return median('sample') / median('static')
}
