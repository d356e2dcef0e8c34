import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findBrowser } from '../../web/browser/find-browser.ts'
import { openBundleViewer, type PageLook } from '../../web/browser/viewer.ts'
import type { CrawlState } from '../crawl/crawl-state.ts'
import type { Verify } from '../model/options.ts'
import type { ScriptChoice, ScriptFindings } from '../model/report.ts'
import { readSpan } from '../pages/spool.ts'
import { freezeApp } from '../runtime/guard-app.ts'
import { freezePage, guardPage, runtimePath } from '../runtime/guard-page.ts'
import { findThemes, type RuntimeSettings, runtimeFile } from '../runtime/page-runtime.ts'
import { appsNeedRoot, chooseScripts, findDifferences } from './choose-scripts.ts'
import { createMissedFiles } from './missed-files.ts'
import { listScriptedPages, lookAtOrigin, pickSample, type ScriptedPage, sampleSize } from './sample-pages.ts'
import { judgeScripts, namesRoot } from './script-rule.ts'

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
  const guardedAhead = new Set(
    ahead?.mode === 'guarded' ? scripted.flatMap(({ page, app }) => (app ? [] : [page.key])) : [],
  )

  return {
    guardedAhead,
    async place(folder, pagePaths, paths) {
      if (scripted.length === 0) return []
      const sample = sampled.flatMap(({ page: { key, url, charset }, app: shownBy }) => {
        const path = pagePaths.get(key)
        const appPath = shownBy && pagePaths.get(shownBy.key)
        const origin = looks.get(key)
        const app = appPath ? { path: appPath, fragment: url.hash } : null
        return path !== undefined && origin ? [{ path, ownPath: url.pathname, charset, origin, app }] : []
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
      for (const { page, app } of scripted) {
        const { key, url, charset } = page
        const path = pagePaths.get(key)
        // An app is written with its guard.
        if (path === undefined || guardedAhead.has(key) || (app && mode !== 'frozen')) continue
        const file = join(folder, path)
        const raw = { text: await readFile(file, 'latin1'), charset }
        const frozen = () => (app ? freezeApp(raw.text) : freezePage(raw, path))
        const guarded = () => guardPage(raw, path, mode === 'hosted' ? null : url.pathname)
        await writeFile(file, mode === 'frozen' ? frozen() : guarded(), 'latin1')
      }
      if (viewer) {
        const places = mode === 'frozen' ? (['root', 'folder', 'file'] as const) : (['folder', 'file'] as const)
        const placed = mode === 'frozen' ? sample.map(page => ({ ...page, app: null })) : sample
        findings.differences = await findDifferences(folder, placed, places, viewer)
      }
      return scripted.some(({ app }) => !app) ? [runtimePath] : []
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

/** Whether these pages, as the site sends them, would find their scripts in any folder. An app is started at its own path only. */
async function areMovable({ site }: CrawlState, sampled: readonly ScriptedPage[]): Promise<boolean> {
  const isOwn = (url: URL) => site.own(url) !== null
  if (sampled.some(({ app }) => app !== null)) return false
  for (const { page } of sampled) {
    const { span, charset } = page
    if (span && namesRoot({ text: (await readSpan(span)).toString('latin1'), charset }, isOwn)) return false
  }
  return true
}

/** Without a browser: by what is known to fail. */
async function judge(sampled: readonly ScriptedPage[]): Promise<ScriptChoice> {
  let hasScripts = false
  for (const { page, app } of sampled) {
    if (app) return { mode: 'guarded', reason: appsNeedRoot }
    const { span, charset } = page
    if (!span) continue
    const judged = judgeScripts({ text: (await readSpan(span)).toString('latin1'), charset })
    hasScripts ||= judged.hasScripts
    if (judged.needsRoot) return { mode: 'guarded', reason: judged.needsRoot }
  }
  return { mode: hasScripts ? 'everywhere' : 'none', reason: null }
}
