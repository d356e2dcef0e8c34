import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CrawlState, Resource } from '../crawl/crawl-state.ts'
import { readSpan } from '../pool/spool.ts'
import { findBrowser } from '../render/browser.ts'
import { openBundleViewer, type PageLook } from './bundle-viewer.ts'
import { chooseScripts, type Difference, findDifferences, type ScriptChoice } from './choose-scripts.ts'
import { freezePage, guardPage, runtimePath } from './guard-page.ts'
import { createMissedFiles } from './missed-files.ts'
import { findThemes, type RuntimeSettings, runtimeFile } from './page-runtime.ts'
import { listScriptedPages, lookAtOrigin, pickSample, sampleSize } from './sample-pages.ts'
import { judgeScripts, namesRoot } from './script-rule.ts'

/** How much a browser checks: nothing, a fixed sample, or every page. */
export type Verify = 'static' | 'sample' | 'full'

export interface ScriptFindings extends ScriptChoice {
  decidedBy: 'browser' | 'rule'
  /** Pages that a browser opened, as paths in the bundle. */
  checkedPages: string[]
  differences: Difference[]
}

export interface ScriptPlacer {
  /** Keys of the pages to be guarded while they are written: without a browser it is known before where scripts may run. */
  guardedAhead: ReadonlySet<string>
  /** Puts the scripts of a written bundle where they may run. Gives the paths of files that were added. */
  place(folder: string, pagePaths: ReadonlyMap<string, string>, paths: readonly string[]): Promise<string[]>
  /** Fetches what the check of the bundle missed; true = the bundle has to be written again, with it. */
  fetchMissed(): Promise<boolean>
  findings(): ScriptFindings
  close(): Promise<void>
}

export interface ScriptPlacerOptions {
  verify: Verify
  /** Whether the bundle has a search of its own. */
  hasSearch: boolean
  profileFolder: string
  signal: AbortSignal
  log: ((details: object, message: string) => void) | undefined
}

/** Looks at the origin before the bundle is written, and at the bundle when it is. A site without scripts costs nothing. */
export async function createScriptPlacer(state: CrawlState, options: ScriptPlacerOptions): Promise<ScriptPlacer> {
  const { verify, signal, log } = options
  const scripted = listScriptedPages(state)
  const executablePath = verify === 'static' ? null : findBrowser()
  const sampled = pickSample(scripted, verify === 'full' ? scripted.length : sampleSize)
  const { pageTimeoutMs, pageRequests } = state.limits
  const { profileFolder } = options
  const isOutside = state.products.leavesOutside
  const viewer =
    executablePath && scripted.length > 0
      ? await openBundleViewer({ executablePath, profileFolder, pageTimeoutMs, pageRequests, signal, isOutside })
      : null
  let findings: ScriptFindings = {
    mode: 'none',
    reason: null,
    decidedBy: viewer ? 'browser' : 'rule',
    checkedPages: [],
    differences: [],
  }
  const missed = createMissedFiles(state)
  let looks = new Map<string, PageLook>()
  try {
    if (viewer) looks = await lookAtOrigin(state, sampled, viewer)
  } catch (error) {
    await viewer?.close()
    throw error
  }

  const ahead = viewer ? null : await judge(sampled)
  const guardedAhead = new Set(ahead?.mode === 'guarded' ? scripted.map(({ key }) => key) : [])

  return {
    guardedAhead,
    async place(folder, pagePaths, paths) {
      if (scripted.length === 0) return []
      const sample = sampled.flatMap(({ key, url, charset }) => {
        const path = pagePaths.get(key)
        const origin = looks.get(key)
        return path !== undefined && origin ? [{ path, ownPath: url.pathname, charset, origin }] : []
      })
      // Written before it is decided: pages are tried with it.
      const themes = await readThemes(folder, paths)
      const { hasSearch } = options
      await writeRuntime(folder, { ...themes, hasSearch, isHosted: false })
      const choice =
        viewer && sample.length > 0
          ? await chooseScripts(folder, sample, await areMovable(state, sampled), viewer, missed)
          : (ahead ?? (await judge(sampled)))
      const decidedBy = viewer && sample.length > 0 ? 'browser' : 'rule'
      log?.({ ...choice, decidedBy, sample: sample.length }, 'scripts of the site judged')
      findings = { ...choice, decidedBy, checkedPages: sample.map(({ path }) => path), differences: [] }
      const { mode } = choice
      if (mode === 'none' || mode === 'everywhere') return []
      if (mode === 'hosted') await writeRuntime(folder, { ...themes, hasSearch, isHosted: true })
      for (const { key, url, charset } of scripted) {
        const path = pagePaths.get(key)
        if (path === undefined || guardedAhead.has(key)) continue
        const file = join(folder, path)
        const raw = { text: await readFile(file, 'latin1'), charset }
        const finished =
          mode === 'frozen' ? freezePage(raw, path) : guardPage(raw, path, mode === 'hosted' ? null : url.pathname)
        await writeFile(file, finished, 'latin1')
      }
      if (viewer) {
        const places = mode === 'frozen' ? (['root', 'folder', 'file'] as const) : (['folder', 'file'] as const)
        findings.differences = await findDifferences(folder, sample, places, viewer)
      }
      return [runtimePath]
    },
    fetchMissed: () => missed.fetch(),
    findings: () => findings,
    async close() {
      await viewer?.close()
    },
  }
}

async function readThemes(folder: string, paths: readonly string[]) {
  const sheets = paths.filter(path => path.endsWith('.css'))
  return findThemes(await Promise.all(sheets.map(path => readFile(join(folder, path), 'latin1'))))
}

async function writeRuntime(folder: string, settings: RuntimeSettings): Promise<void> {
  await mkdir(dirname(join(folder, runtimePath)), { recursive: true })
  await writeFile(join(folder, runtimePath), runtimeFile(settings))
}

/** Whether these pages, as the site sends them, would find their scripts in any folder. */
async function areMovable({ site }: CrawlState, sampled: readonly Resource[]): Promise<boolean> {
  const isOwn = (url: URL) => site.own(url) !== null
  for (const { span, charset } of sampled)
    if (span && namesRoot({ text: (await readSpan(span)).toString('latin1'), charset }, isOwn)) return false
  return true
}

/** Without a browser: by what is known to fail. */
async function judge(sampled: readonly Resource[]): Promise<ScriptChoice> {
  let hasScripts = false
  for (const { span, charset } of sampled) {
    if (!span) continue
    const judged = judgeScripts({ text: (await readSpan(span)).toString('latin1'), charset })
    hasScripts ||= judged.hasScripts
    if (judged.needsRoot) return { mode: 'guarded', reason: judged.needsRoot }
  }
  return { mode: hasScripts ? 'everywhere' : 'none', reason: null }
}
