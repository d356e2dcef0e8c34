import { finishFiles } from '../crawl/crawl.ts'
import type { CrawlState, Resource } from '../crawl/crawl-state.ts'
import { needLoaded, needScripted } from '../crawl/pack-script.ts'
import { digest } from '../memory/answer-digest.ts'
import { readSpan } from '../pool/spool.ts'
import { type BrowserAnswer, createAnswerer } from '../render/browser-answer.ts'
import type { BundleViewer, PageLook } from './bundle-viewer.ts'

/** Pages with scripts that a browser opens by default; with `verify: full` it opens all. */
export const sampleSize = 10

/** The pages of a bundle that hold scripts, by key in their order. */
export function listScriptedPages(state: CrawlState): Resource[] {
  return [...state.pages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, outcome]) => (outcome.state === 'page' ? [outcome.resource] : []))
    .filter(({ rendered, hasScripts, type }) => hasScripts && !rendered && type === 'text/html')
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
  pages: readonly Resource[],
  viewer: BundleViewer,
): Promise<Map<string, PageLook>> {
  const answer = createAnswerer(state)
  const looks = new Map<string, PageLook>()
  await Promise.all(
    pages.map(async ({ key, url, span, type, charset }) => {
      if (!span) return
      const body = await readSpan(span)
      const html: BrowserAnswer = { status: 200, headers: { 'content-type': `${type}; charset=${charset}` }, body }
      const subject = { view: 'look', url, headers: html.headers, body: digest(body) }
      const look = await state.views.see(subject, answer, answer =>
        viewer.look(url.href, request =>
          request.isNavigation && request.url === url.href ? Promise.resolve(html) : answer(request),
        ),
      )
      if (!look) return
      looks.set(key, look)
      for (const address of look.loaded) needLoaded(state, new URL(address))
      for (const address of look.byScript) needScripted(state, new URL(address), 'asset')
    }),
  )
  await finishFiles(state)
  return looks
}
