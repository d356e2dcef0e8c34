import type { ScriptChoice } from '../model/report.ts'
import type { Site } from '../model/site.ts'
import { readSpan } from '../pages/page-work.ts'
import { appsNeedRoot } from './choose-scripts.ts'
import type { ScriptedPage } from './sample-pages.ts'
import { judgeScripts, namesRoot } from './script-rule.ts'

/** Chooses where scripts run without a browser, based on patterns known to fail. */
export async function judgeSample(sampled: readonly ScriptedPage[]): Promise<ScriptChoice> {
  let hasScripts = false
  for (const { page, app } of sampled) {
    if (app) return { mode: 'guarded', reason: appsNeedRoot }
    const { span, charset, url } = page
    if (!span) continue
    const judged = judgeScripts({ text: (await readSpan(span)).toString('latin1'), charset }, url.pathname)
    hasScripts ||= judged.hasScripts
    if (judged.needsRoot) return { mode: 'guarded', reason: judged.needsRoot }
  }
  return { mode: hasScripts ? 'everywhere' : 'none', reason: null }
}

/** Decides whether these pages, as fetched, find their scripts in any folder. An app starts only at its own path. */
export async function areMovable(site: Pick<Site, 'own'>, sampled: readonly ScriptedPage[]): Promise<boolean> {
  const isOwn = (url: URL) => site.own(url) !== null
  if (sampled.some(({ app }) => app !== null)) return false
  for (const { page } of sampled) {
    const { span, charset, url } = page
    if (!span) continue
    const raw = { text: (await readSpan(span)).toString('latin1'), charset }
    if (namesRoot(raw, isOwn, url.pathname)) return false
  }
  return true
}
