import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ExportReport } from '../../../server/export/model/report.ts'
import { describeEnd, runMeasured } from '../export/measured-run.ts'
import { quire } from '../export/tools.ts'
import { openVisitor } from '../export/visitor.ts'
import { judgeBundle, type Verdict } from './judge.ts'
import { openOrigin } from './origin.ts'
import { readOrigin } from './read-origin.ts'
import type { GallerySite } from './site.ts'

/** The result of one site. */
export interface SiteResult {
  site: string
  description: string
  note?: string
  isUnseen: boolean
  /** RFC 3339. */
  at: string
  loadAverage: number
  /** The last commit that changed the exporter; undefined outside a Git repository. */
  commit?: string
  /** Why there is no verdict. */
  obstacle?: string
  exitCode?: number | null
  wallSeconds?: number
  verdict?: Verdict
  /** Number of hits for each query at the origin. */
  hits?: number[]
  /** What the report of the export says about the scripts. */
  scripts?: Pick<ExportReport['scripts'], 'mode' | 'reason'>
}

export interface RunOptions {
  cacheFolder: string
  sampleSize: number
  exportTimeoutMs: number
  keep: boolean
  onProgress(text: string): void
}

const project = resolve(import.meta.dirname, '../../..')

/** Exports a site with the default command line and judges the bundle. Ends the site's server. Never throws. */
export async function runSite(site: GallerySite, options: RunOptions): Promise<SiteResult> {
  const { name, description, note, unseen = false } = site
  const result = {
    site: name,
    description,
    ...(note === undefined ? {} : { note }),
    isUnseen: unseen,
    at: new Date().toISOString(),
    loadAverage: loadavg()[0] ?? 0,
    ...readCommit(),
  }
  try {
    return { ...result, ...(await exportAndJudge(site, options)) }
  } catch (error) {
    return { ...result, obstacle: (error as Error).message.split('\n')[0] ?? '' }
  }
}

async function exportAndJudge(site: GallerySite, options: RunOptions): Promise<Partial<SiteResult>> {
  const { cacheFolder, sampleSize, exportTimeoutMs, keep, onProgress } = options
  const source = await site.prepare(cacheFolder)
  const scratch = await mkdtemp(join(tmpdir(), 'quire-gallery-'))
  const removeScratch = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  if (!keep) process.once('exit', removeScratch) // after a signal, `finally` does not run
  const origin = await openOrigin(source)
  const visitor = await openVisitor()
  try {
    const known = 'command' in source ? [] : (source.pages ?? [])
    onProgress(`${site.name}: reading the origin`)
    const reference = await readOrigin({ site, root: origin.root, known, visitor, sampleSize })
    if (site.search && !reference.hits)
      onProgress(`${site.name}: the search finds nothing at the origin; see its selectors`)
    onProgress(`${site.name}: exporting ${reference.pages.length} pages`)
    const folder = join(scratch, 'copy')
    await mkdir(folder)
    const { program, args } = quire.command(new URL(site.start ?? '/', origin.root).href, folder, site.domain)
    const run = await runMeasured(program, args, {
      logFile: join(scratch, 'export.log'),
      timeoutMs: exportTimeoutMs,
      folder: scratch,
    })
    const { exitCode, wallSeconds } = run
    const copy = quire.findRoot(folder)
    if (copy === undefined) return { exitCode, wallSeconds, obstacle: `The export ${describeEnd(run)}.` }
    onProgress(`${site.name}: judging`)
    const verdict = await judgeBundle(copy, { site, reference, visitor })
    return {
      exitCode,
      wallSeconds,
      verdict,
      ...(reference.hits ? { hits: reference.hits } : {}),
      ...readScripts(run.stdout),
    }
  } finally {
    await visitor.close()
    await origin.close()
    if (keep) onProgress(`${site.name}: the bundle is kept in ${scratch}`)
    else removeScratch()
    process.off('exit', removeScratch)
  }
}

function readScripts(stdout: string): Pick<SiteResult, 'scripts'> {
  try {
    const { mode, reason } = (JSON.parse(stdout) as { report: ExportReport }).report.scripts
    return { scripts: { mode, reason } }
  } catch {
    return {} // a failed export may print no report
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
