import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { BundleFault } from '../../../server/export/check/check-result.ts'
import type { ExportReport } from '../../../server/export/model/report.ts'
import { type CheckCost, measureCheck } from './check-cost.ts'
import { judgeBundle, type Verdict } from './judge.ts'
import { makeSite } from './make-site.ts'
import { describeEnd, type MeasuredRun, runMeasured } from './measured-run.ts'
import { openOrigin } from './origin.ts'
import { type Reference, readOrigin } from './read-origin.ts'
import type { Site } from './site.ts'
import type { Tool } from './tools.ts'
import { openVisitor } from './visitor.ts'

/** The result of one tool on a site. */
export interface Copy extends Partial<Omit<MeasuredRun, 'stdout' | 'heldBytes'>> {
  tool: string
  /** Why there is no verdict. */
  obstacle?: string
  bytes?: number
  verdict?: Verdict
  /** The report of Quire's export; absent = it printed none. */
  report?: ExportReport
  /** Faults that Quire's own check finds on all pages of the bundle, in all places. Absent = the tool has no check. */
  ownFaults?: string[]
}

export interface SiteResult {
  site: string
  description: string
  note?: string
  /** RFC 3339. */
  at: string
  loadAverage: number
  /** The last commit that changed the exporter; undefined outside a Git repository. */
  commit?: string
  /** Why there are no copies. */
  obstacle?: string
  /** Number of hits for each query at the origin. */
  hits?: number[]
  copies: Copy[]
  /** Absent = not measured. */
  check?: CheckCost
}

export interface RunOptions {
  cacheFolder: string
  sampleSize: number
  timeoutMs: number
  keep: boolean
  /** How often the check is measured beside a bare script; 0 = not at all. */
  checkRounds: number
  onProgress(text: string): void
}

/** Of a larger bundle, the own check opens ten pages, because each page takes a second in three places. */
const maxCheckedPages = 120

const project = resolve(import.meta.dirname, '../../..')

/** Copies a site with each tool in turn, and judges every copy. Ends the site's server. Never throws. */
export async function runSite(site: Site, tools: readonly Tool[], options: RunOptions): Promise<SiteResult> {
  const { name, description, note } = site
  const at = new Date().toISOString()
  const copies: Copy[] = []
  const result: SiteResult = { site: name, description, at, loadAverage: loadavg()[0] ?? 0, copies, ...readCommit() }
  if (note !== undefined) result.note = note
  try {
    return { ...result, ...(await copyAndJudge(site, tools, options, copies)) }
  } catch (error) {
    return { ...result, obstacle: (error as Error).message.split('\n')[0] ?? '' }
  }
}

/** Adds a copy for each tool. Returns the hits of the search at the origin, and what the check costs. */
async function copyAndJudge(
  site: Site,
  tools: readonly Tool[],
  options: RunOptions,
  copies: Copy[],
): Promise<Pick<SiteResult, 'hits' | 'check'>> {
  const { cacheFolder, sampleSize, timeoutMs, keep, checkRounds: rounds, onProgress } = options
  const source = await makeSite(site, cacheFolder)
  const scratch = await mkdtemp(join(tmpdir(), 'quire-bench-export-'))
  const removeScratch = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  if (!keep) process.once('exit', removeScratch) // after a signal, `finally` does not run
  const origin = await openOrigin(source)
  const visitor = await openVisitor()
  try {
    onProgress(`${site.name}: reading the origin`)
    const known = source.pages ?? []
    const reference = await readOrigin({ site, root: origin.root, known, visitor, sampleSize })
    if (site.search && !reference.hits)
      onProgress(`${site.name}: the search finds nothing at the origin; see its selectors`)
    const url = new URL(site.start ?? '/', origin.root).href
    for (const tool of tools) {
      const folder = join(scratch, tool.name.replaceAll(' ', '_'))
      const judge = (copy: string) => judgeBundle(copy, { site, reference, visitor })
      copies.push(await runTool(tool, { url, folder, reference, judge }, options, site))
      if (!keep) await rm(folder, { recursive: true, force: true })
    }
    if (rounds > 0) onProgress(`${site.name}: measuring the check beside a bare script`)
    const check = rounds > 0 && (await measureCheck(url, { folder: scratch, cacheFolder, timeoutMs, rounds }))
    return { ...(reference.hits ? { hits: reference.hits } : {}), ...(check ? { check } : {}) }
  } finally {
    await visitor.close()
    await origin.close()
    if (keep) onProgress(`${site.name}: the copies are kept in ${scratch}`)
    else removeScratch()
    process.off('exit', removeScratch)
  }
}

async function runTool(
  tool: Tool,
  given: { url: string; folder: string; reference: Reference; judge(copy: string): Promise<Verdict> },
  { cacheFolder, timeoutMs, onProgress }: RunOptions,
  { name: site, isCut = false }: Site,
): Promise<Copy> {
  const { url, folder, reference, judge } = given
  onProgress(`${site}: ${tool.name} is copying ${reference.pages.length} pages`)
  await mkdir(folder, { recursive: true })
  const { program, args } = tool.command(url, folder, cacheFolder)
  const flags = isCut && tool.isOurs ? ['--allow-loss'] : []
  const run = await runMeasured(program, [...args, ...flags], { logFile: `${folder}.log`, timeoutMs, folder })
  const { stdout, heldBytes: _, ...figures } = run
  const root = tool.findRoot(folder)
  if (root === undefined) return { tool: tool.name, ...figures, obstacle: `It ${describeEnd(run)}, and left no copy.` }
  onProgress(`${site}: judging the copy by ${tool.name}`)
  const verdict = await judge(root)
  const copy: Copy = { tool: tool.name, ...figures, bytes: sizeFolder(root), verdict }
  if (!tool.isOurs) return copy
  const report = readReport(stdout)
  if (report) copy.report = report
  if (!tool.check) return copy
  onProgress(`${site}: ${tool.name} is checking its copy`)
  const checked = await runMeasured(...tool.check(folder, verdict.pages <= maxCheckedPages), {
    logFile: `${folder}.check.log`,
    timeoutMs,
    folder,
  })
  return { ...copy, ownFaults: readFaults(checked) }
}

/** Sums the sizes of all files in a folder. */
export function sizeFolder(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** A failed export may print no report. */
function readReport(stdout: string): ExportReport | undefined {
  try {
    return (JSON.parse(stdout) as { report?: ExportReport }).report
  } catch {
    return undefined
  }
}

function readFaults(run: Pick<MeasuredRun, 'exitCode' | 'stdout'>): string[] {
  try {
    const { faults } = JSON.parse(run.stdout) as { faults: BundleFault[] }
    return faults.map(({ page, place, what }) => [page, place, what].filter(part => part !== null).join(' '))
  } catch {
    return [`the check ${describeEnd(run)}`]
  }
}

function readCommit(): Pick<SiteResult, 'commit'> {
  try {
    const args = ['log', '-1', '--format=%h', '--', 'server', ':!server/docs']
    const commit = execFileSync('git', args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return commit.trim() === '' ? {} : { commit: commit.trim() }
  } catch {
    return {} // there is no Git, or no repository
  }
}
