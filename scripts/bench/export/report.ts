import type { Machine } from '../http/report.ts'
import type { Mode, Problem } from './check-pages.ts'
import type { Goal } from './goals.ts'
import type { SiteResult, ToolResult } from './run.ts'

export interface Report {
  /** RFC 3339. */
  at: string
  /** The command without paths of this machine. */
  command: string
  machine: Machine
  seconds: number
  sites: SiteResult[]
  goals: Goal[]
}

const heads = ['tool', 'pages', 'wall s', 'pages/s', 'CPU s', 'MB, process', 'MB, process tree', 'copy MB']
const checkHeads = ['root: text', 'appearance', 'failed', 'errors', 'outbound', 'bad links']
const modeHeads = ['folder: text (content)', 'faults', 'file: text (content)', 'faults']
const useHeads = ['hydrated', 'theme', 'menu click', 'search']

/** Formats the measurements of one site as Markdown for RESULTS.md. */
export function siteText({ site, description, pages, isUnseen, app, results }: SiteResult): string[] {
  const ran = results.filter(({ obstacle }) => obstacle === undefined)
  const landsOn = app?.landsOn
  const table = [[...heads, ...checkHeads], ...ran.map(result => [...costs(result, pages), ...atRoot(result)])]
  const second = [
    ['tool', ...modeHeads, ...useHeads],
    ...ran.map(result => [result.tool, ...elsewhere(result), ...inUse(result, landsOn)]),
  ]
  return [
    `### ${site}: ${description}, ${pages} pages${isUnseen ? ', not tuned on' : ''}`,
    '',
    ...toTable(table),
    '',
    ...toTable(second),
    ...results.flatMap(({ tool, obstacle }) => (obstacle === undefined ? [] : ['', `${tool}: ${obstacle}.`])),
    ...ran.flatMap(notes),
  ]
}

/** Formats the conditions of a run and the goals, which follow the sites. */
export function summaryText({ at, command, machine, seconds, goals }: Report): string[] {
  const missed = goals.filter(({ isMet }) => !isMet)
  return [
    `${at.slice(0, 16).replace('T', ' ')} UTC, ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load average ` +
      `${machine.loadAverageBefore.toFixed(1)} before and ${machine.loadAverageAfter.toFixed(1)} after, ` +
      `${Math.round(seconds / 60)} minutes: \`${command}\``,
    '',
    `Goals of Quire: ${goals.length - missed.length} of ${goals.length} met.`,
    ...missed.map(({ site, what, given }) => `- missed, ${site}: ${what} (${given})`),
  ]
}

function costs(result: ToolResult, pages: number): string[] {
  const { tool, copy, wallSeconds, cpuSeconds, peakBytes, peakTreeBytes, isStopped } = result
  const rate = copy && wallSeconds ? (copy.pages / wallSeconds).toFixed(1) : '-'
  return [
    tool,
    `${copy?.pages ?? 0} of ${pages}`,
    `${isStopped ? 'stopped at ' : ''}${wallSeconds?.toFixed(1) ?? '-'}`,
    rate,
    cpuSeconds?.toFixed(1) ?? '-',
    megabytes(peakBytes),
    megabytes(peakTreeBytes),
    megabytes(copy?.bytes),
  ]
}

function atRoot({ checks }: ToolResult): string[] {
  const check = checks?.find(({ mode }) => mode === 'root')
  if (!check) return checkHeads.map(() => '-')
  const { sampled, sameText, sameStyle, failed, errors, outbound, brokenLinks, lostLinks } = check
  return [
    `${sameText}/${sampled}`,
    `${sameStyle}/${sampled}`,
    ...[failed, errors, outbound, brokenLinks + lostLinks].map(String),
  ]
}

function elsewhere({ checks }: ToolResult): string[] {
  return (['folder', 'file'] as const).flatMap((wanted: Mode) => {
    const check = checks?.find(({ mode }) => mode === wanted)
    if (!check) return ['-', '-']
    const { sampled, sameText, sameContent, failed, errors, outbound, brokenLinks, lostLinks } = check
    return [`${sameText}/${sampled} (${sameContent})`, String(failed + errors + outbound + brokenLinks + lostLinks)]
  })
}

function inUse({ app, search }: ToolResult, landsOn: string | undefined): string[] {
  const yes = (is: boolean) => (is ? 'yes' : 'no')
  return [
    ...(app ? [yes(app.hydrated), yes(app.themeToggles), yes(app.landsOn === landsOn)] : ['-', '-', '-']),
    search ? `${search.same}/${search.of}` : '-',
  ]
}

function notes({ tool, again, falseFindings }: ToolResult): string[] {
  if (!again) return []
  const wrong = falseFindings?.length ? `; its report is wrong in ${falseFindings.length} places` : ''
  return ['', `${tool}, a second export: ${again.outcome}, ${again.wallSeconds.toFixed(1)} s${wrong}.`]
}

/** Lists the problems of Quire's copies. One line lists a problem that occurs on several pages. */
export function listProblems(sites: readonly SiteResult[], tool: string): string[] {
  return sites.flatMap(({ site, results }) => {
    const result = results.find(result => result.tool === tool)
    const grouped = Map.groupBy(result?.checks?.flatMap(({ problems }) => problems) ?? [], groupOf)
    const lines = [...grouped.values()].map(problems => {
      const { mode, kind, path, detail } = problems[0] as Problem
      return `${site}, ${mode}, ${kind}, ${problems.length} times, such as ${path}: ${detail}`
    })
    const faults = result?.app?.faults.map(fault => `${site}, in use: ${fault}`) ?? []
    const wrong = result?.falseFindings?.map(finding => `${site}, wrong in the report: ${finding}`) ?? []
    const missing = result?.copy?.missing.map(path => `${site}, not in the copy: ${path}`) ?? []
    return [...missing, ...lines, ...faults, ...wrong]
  })
}

function groupOf({ mode, kind, detail, path }: Problem): string {
  return JSON.stringify([mode, kind, kind === 'text' || kind === 'content' ? path : detail])
}

/** Formats rows of cells as a Markdown table; the first row is the header. */
export function toTable(rows: readonly string[][]): string[] {
  const [head = [], ...body] = rows
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...body.map(line)]
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? '-' : (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)
}
