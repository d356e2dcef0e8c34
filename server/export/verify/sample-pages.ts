import { digest } from '../../base/digest.ts'
import { type BrowserAnswer, sameFile } from '../../web/browser/browser-request.ts'

import type { BundleViewer, PageLook } from '../../web/browser/viewer.ts'
import { finishFiles } from '../crawl/crawl.ts'
import type { CrawlState } from '../crawl/crawl-state.ts'
import { needLoaded, needScripted } from '../crawl/need-file.ts'
import { findCompanions } from '../crawl/page-companions.ts'
import { appKey } from '../model/fragment-route.ts'
import type { Resource } from '../model/resource.ts'
import { readSpan } from '../pages/spool.ts'
import { createAnswerer } from '../render/answer-browser.ts'

/** Pages with scripts that a browser opens by default; with `verify: full` it opens all. */
export const sampleSize = 10

/** A page of a bundle whose scripts may run there. */
export interface ScriptedPage {
  page: Resource
  /** The app that shows it by a fragment, as the site sends it; null for a page that holds its scripts itself. */
  app: Resource | null
}

/** The pages of a bundle that hold scripts, or are shown by an app, by key in their order. */
export function listScriptedPages(state: CrawlState): ScriptedPage[] {
  return [...state.pages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, outcome]) =>
      outcome.state === 'page' ? [{ page: outcome.resource, app: state.apps.get(appKey(key)) ?? null }] : [],
    )
    .filter(({ page, app }) => page.hasScripts && (!page.rendered || app) && page.type === 'text/html')
}

/** So many of them, spread evenly: the same ones for the same site. */
export function pickSample<T>(sorted: readonly T[], size: number): T[] {
  if (sorted.length <= size) return [...sorted]
  const picked = Array.from({ length: size }, (_, index) => sorted[Math.floor((index * sorted.length) / size)])
  return picked.filter(page => page !== undefined)
}

/** What the origin shows at these pages, by key. What their scripts load there is asked for, so that the bundle has it. */
export async function lookAtOrigin(
  state: CrawlState,
  pages: readonly ScriptedPage[],
  viewer: BundleViewer,
): Promise<Map<string, PageLook>> {
  const answer = createAnswerer(state)
  const looks = new Map<string, PageLook>()
  await Promise.all(
    pages.map(async ({ page, app }) => {
      const { key, url } = page
      const { span, type, charset } = app ?? page
      if (!span) return
      const body = await readSpan(span)
      const html: BrowserAnswer = { status: 200, headers: { 'content-type': `${type}; charset=${charset}` }, body }
      const subject = { view: 'look', url, headers: html.headers, body: digest(body) }
      const look = await state.views.see(subject, answer, answer =>
        viewer.look(url.href, request =>
          request.isNavigation && sameFile(request.url, url.href) ? Promise.resolve(html) : answer(request),
        ),
      )
      if (!look) return
      looks.set(key, look)
      for (const address of look.loaded) needLoaded(state, new URL(address))
      for (const address of look.byScript) needScripted(state, new URL(address), 'asset')
    }),
  )
  await finishFiles(state)
  needCompanions(state, looks.values())
  await finishFiles(state)
  return looks
}

/** What an app loaded for some of its pages it will ask for of the others. */
function needCompanions(state: CrawlState, looks: Iterable<PageLook>): void {
  const { site, pages, files, limits } = state
  const pathOf = (address: string) => site.own(new URL(address))?.pathname ?? []
  const paths = [...pages].flatMap(([key, outcome]) => (outcome.state === 'page' ? pathOf(key) : []))
  const seen = [...looks].flatMap(look => look.byScript).flatMap(pathOf)
  // Asked for by guess: the limit of files is not theirs to use up.
  const room = Math.max(0, Math.floor((limits.files - files.size) / 2))
  for (const path of findCompanions(paths, seen).slice(0, room)) needLoaded(state, new URL(path, site.origin))
}
