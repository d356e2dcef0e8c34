import { digest } from '../../base/digest.ts'
import type { BrowserAnswer } from '../../web/browser/browser-request.ts'
import { findBrowser, installCommand } from '../../web/browser/find-browser.ts'
import { openRenderer, RenderError, type RenderedPage, type Renderer } from '../../web/browser/renderer.ts'
import { judgePage } from '../../web/html/page-text.ts'
import type { RawText } from '../../web/html/text-encoding.ts'
import type { CrawlState } from '../crawl/crawl-state.ts'
import type { MissingPage } from '../crawl/missing-probe.ts'
import { needLoaded } from '../crawl/need-file.ts'
import type { FetchedPage } from '../crawl/visit-page.ts'
import { ExportError } from '../model/export-error.ts'
import { appKey } from '../model/fragment-route.ts'
import type { ExportReport } from '../model/report.ts'
import type { PageOutcome, Resource } from '../model/resource.ts'
import { linkKey } from '../model/site.ts'
import { isMissing } from '../pages/missing-page.ts'
import { PageWorkError } from '../pages/page-pool.ts'
import type { ReadPage } from '../pages/page-tasks.ts'
import { readSpan } from '../pages/spool.ts'
import { createAnswerer } from './answer-browser.ts'
import { findGain } from './find-gain.ts'
import { createFragmentApps, type FragmentApps } from './fragment-apps.ts'
import { createScriptLinks, type ScriptLinks } from './script-links.ts'

export interface PageCompleterOptions {
  state: CrawlState
  missing: MissingPage
  startKey: string
  profileFolder: string
  /** Whether a browser looks at pages whose HTML seems to be all, too. */
  compares: boolean
  signal: AbortSignal
  log: ((details: object, message: string) => void) | undefined
}

/** Decides for each page whether the server's HTML is all of it, and gets the rest from a browser. */
export interface PageCompleter {
  /** The page as it shall be kept; null when it is the page that stands for missing ones. */
  complete(page: FetchedPage): Promise<FetchedPage | null>
  isApp: FragmentApps['isApp']
  /** A page of an app by its key. */
  showRoute(key: string): Promise<FetchedPage | PageOutcome>
  /** Begins to compare one page of each new template with what the browser shows. */
  prepareReview(): void
  /** Waits for the comparisons. Gives the pages to replace where the HTML did not hold, and those that gained links. */
  review(): Promise<FetchedPage[]>
  /** Links that only scripts put into pages; see `ScriptLinks`. */
  findScriptLinks: ScriptLinks['next']
  isRendering(): boolean
  findings(): Pick<ExportReport, 'renderedPages' | 'comparedPages' | 'notes'>
  close(): Promise<void>
}

/** Templates that are compared; a site has few, and each costs the browser one page. */
const maxTemplates = 4
/** Short pages with scripts that are shown one by one before their template counts as complete. */
const maxSuspects = 3
/** The share of pages that may stay empty for want of a browser. */
const maxEmptyShare = 0.1

interface Template {
  keys: string[]
  suspects: number
  verdict: 'unknown' | 'complete' | 'render'
}

export function createPageCompleter(options: PageCompleterOptions): PageCompleter {
  const { state, missing, startKey, signal, log } = options
  const templates = new Map<string, Template>()
  const rendered = new Set<string>()
  const compared = new Set<string>()
  const empty = new Set<string>()
  /** Pages that asked for more than a page may. */
  const cut = new Set<string>()
  const comparisons: Promise<void>[] = []
  /** Compared pages whose HTML holds all but their menus. */
  const menuPages: FetchedPage[] = []
  const executablePath = findBrowser()
  let renderer: Promise<Renderer> | null = null
  let renderedMissing: Promise<string[] | null> | null = null
  let hasOldRoutes = false
  let waiting = 0

  const answer = createAnswerer(state)
  const { pageTimeoutMs, pageRequests } = state.limits

  async function render(url: URL, html: BrowserAnswer): Promise<RenderedPage> {
    const { status, headers, body } = html
    const subject = { view: 'page and menus', url, status, headers, body: digest(body), pageTimeoutMs, pageRequests }
    const { loaded, ...seen } = await state.views.see(subject, answer, async answer => {
      renderer ??= openRenderer({
        executablePath: executablePath ?? '',
        profileFolder: options.profileFolder,
        pageTimeoutMs,
        pageRequests,
        signal,
      })
      const shown = await (await renderer).render(url, html, answer)
      return { ...shown, url: shown.url.href, loaded: shown.loaded.map(url => url.href) }
    })
    return { ...seen, url: new URL(seen.url), loaded: loaded.map(url => new URL(url)) }
  }

  /** What a browser makes of a page, and what the page was before. */
  async function renderFetched(
    { key, charset, type, url, span }: Resource,
    at: URL = url,
  ): Promise<{ shown: RenderedPage; fetched: RawText }> {
    const body = span ? await readSpan(span) : Buffer.alloc(0)
    const shown = await render(at, { status: 200, headers: { 'content-type': `${type}; charset=${charset}` }, body })
    if (shown.isCut) cut.add(key)
    return { shown, fetched: { text: body.toString('latin1'), charset } }
  }

  /** The words of the page for a made-up address, when only a browser can tell. */
  function findMissingWords(): Promise<string[] | null> {
    const { body } = missing
    if (!body || linkKey(missing.url) !== linkKey(missing.asked)) return Promise.resolve(null)
    renderedMissing ??= render(missing.asked, { status: 200, headers: { 'content-type': 'text/html' }, body }).then(
      page => page.words,
      error => {
        if (error instanceof RenderError) return null
        throw error
      },
    )
    // Whoever waits for it hears of a failure; nobody may be waiting.
    renderedMissing.catch(() => {})
    return renderedMissing
  }

  /**
   * The page from the browser where that shows more than the HTML; `missing` when it is one of those. Menus that scripts
   * build are no reason to keep a page without its scripts, which build them in the bundle as well.
   */
  async function showInBrowser(
    resource: Resource,
    content: ReadPage | null,
    siblings: readonly string[],
  ): Promise<FetchedPage | 'same' | 'missing'> {
    waiting += 1
    try {
      // Asked for first: behind a whole generation of pages it would hold all of them up.
      const missingWords = findMissingWords()
      const { shown, fetched } = await renderFetched(resource)
      const own = state.site.own(shown.url)
      const gained = findGain(shown, fetched)
      if (!own) return 'same'
      if (gained !== 'content') scriptLinks.note(resource.key, shown, siblings)
      if (gained === 'nothing') return 'same'
      if (gained === 'menus') return withMenus(resource, shown)
      const isStart = resource.key === startKey
      if (!isStart && isMissing((await missingWords) ?? [], missing.asked, shown.words, resource.url)) return 'missing'
      const page = await replacePage(resource, { ...shown, url: own })
      apps.note(page, resource, content, shown)
      if (isStart && (shown.html.match(/\shref="#!\//g)?.length ?? 0) > 2) hasOldRoutes = true
      return page
    } catch (error) {
      if (!(error instanceof RenderError || error instanceof PageWorkError)) throw error
      log?.({ page: resource.key, reason: error.message }, 'page kept as fetched')
      empty.add(resource.key)
      return 'same'
    } finally {
      waiting -= 1
    }
  }

  function readShown({ html, url }: RenderedPage): Promise<ReadPage> {
    const bytes = Buffer.from(html)
    return state.pool.read({ bytes, charset: 'utf-8', url: url.href, isRendered: true, missing: null })
  }

  /** The page as it was fetched, with the links of the menus that its scripts build. What they load has to be there, too. */
  async function withMenus(resource: Resource, shown: RenderedPage): Promise<FetchedPage> {
    for (const url of shown.loaded) needLoaded(state, url)
    return { resource, content: await readShown(shown) }
  }

  /** Keeps what the browser shows in the place of what was fetched. */
  async function replacePage(resource: Resource, shown: RenderedPage): Promise<FetchedPage> {
    const content = await readShown(shown)
    // Its scripts may have added what the HTML did not hold.
    state.products.note(resource.key, content.products)
    const { charset, span, sizeBytes, sha256 } = content
    rendered.add(resource.key)
    const changed = { url: shown.url, charset, span, sizeBytes, sha256, rendered: true }
    return { content, resource: { ...resource, ...changed } }
  }

  function needBrowser(): ExportError {
    const message = `${state.site.domain} builds its pages in the browser and no Chromium was found; install one with \`${installCommand()}\` and start again.`
    return new ExportError(message, 'browser_missing')
  }

  function templateOf(page: FetchedPage): Template {
    const name = page.content.text.scripts.join(' ')
    const template = templates.get(name) ?? { keys: [], suspects: 0, verdict: 'unknown' }
    templates.set(name, template)
    return template
  }

  async function complete(page: FetchedPage): Promise<FetchedPage | null> {
    const { content, resource } = page
    const verdict = judgePage(content.text)
    if (content.text.scripts.length === 0 || content.text.refreshes) return page
    const template = templateOf(page)
    if (verdict === 'shell' || template.verdict === 'render') {
      if (executablePath) return replaceBy(page, await showInBrowser(resource, content, template.keys))
      if (resource.key === startKey) throw needBrowser()
      empty.add(resource.key)
      return page
    }
    const isAsked = options.compares || content.text.hasEmptyRoot
    if (verdict === 'suspect' && isAsked && executablePath && template.suspects < maxSuspects) {
      template.suspects += 1
      return replaceBy(page, await showInBrowser(resource, content, template.keys))
    }
    template.keys.push(resource.key)
    return page
  }

  /** Shows one page of the template and decides whether the HTML of the others can be trusted. */
  async function compareTemplate(template: Template, key: string): Promise<void> {
    template.verdict = 'complete'
    const kept = findFetched(key)
    const both =
      kept &&
      (await renderFetched(kept).catch(error => {
        if (error instanceof RenderError) return null
        throw error
      }))
    if (!both) return
    const { shown, fetched } = both
    const gained = findGain(shown, fetched)
    if (gained !== 'content') {
      if (gained === 'menus') menuPages.push(await withMenus(kept, shown))
      // Its scripts stay in the bundle, so what they load has to be there too.
      for (const url of shown.loaded) needLoaded(state, url)
      scriptLinks.note(key, shown, template.keys)
      return
    }
    template.verdict = 'render'
    log?.({ page: key, pages: template.keys.length }, 'the HTML of this template is not the whole page')
  }

  async function renderTemplate(template: Template): Promise<FetchedPage[]> {
    const keys = template.keys.splice(0)
    const pages = await Promise.all(
      keys.map(key => {
        const kept = findFetched(key)
        return kept ? showInBrowser(kept, null, template.keys) : 'same'
      }),
    )
    return pages.filter(page => typeof page !== 'string')
  }

  /** A kept page as it was fetched. */
  function findFetched(key: string): Resource | null {
    const outcome = state.pages.get(key)
    return outcome?.state === 'page' && !outcome.resource.rendered ? outcome.resource : null
  }

  const apps = createFragmentApps({
    state,
    startKey,
    render: async (fetched, url) => (await renderFetched(fetched, url)).shown,
    keep: replacePage,
  })

  const scriptLinks = createScriptLinks(state, async page => {
    try {
      return (await renderFetched(page)).shown
    } catch (error) {
      if (error instanceof RenderError) return null
      throw error
    }
  })

  async function whileRendering<T>(work: () => Promise<T>): Promise<T> {
    waiting += 1
    try {
      return await work()
    } finally {
      waiting -= 1
    }
  }

  return {
    complete,
    isApp: (key, tries) => whileRendering(() => apps.isApp(key, tries)),
    showRoute: key => whileRendering(() => apps.show(key)),
    prepareReview() {
      if (!executablePath || !options.compares) return
      const unknown = [...templates.values()].filter(({ verdict, keys }) => verdict === 'unknown' && keys.length > 0)
      const samples = unknown.map(template => ({ template, key: template.keys.reduce((a, b) => (a < b ? a : b)) }))
      samples.sort((a, b) => b.template.keys.length - a.template.keys.length || (a.key < b.key ? -1 : 1))
      for (const { template, key } of samples.slice(0, Math.max(0, maxTemplates - compared.size))) {
        compared.add(key)
        const comparison = compareTemplate(template, key)
        comparison.catch(() => {})
        comparisons.push(comparison)
      }
    },
    async review() {
      if (!executablePath) {
        const pages = [...state.pages.values()].filter(outcome => outcome.state === 'page').length
        if (empty.size > pages * maxEmptyShare) throw needBrowser()
        return []
      }
      await Promise.all(comparisons)
      const wrong = [...templates.values()].filter(({ verdict }) => verdict === 'render')
      return [...menuPages.splice(0), ...(await Promise.all(wrong.map(renderTemplate))).flat()]
    },
    findScriptLinks: isKnown => whileRendering(() => scriptLinks.next(isKnown)),
    isRendering: () => waiting > 0,
    findings() {
      const notes: string[] = []
      if (!executablePath) notes.push('No Chromium was found: no page was compared with what a browser shows.')
      else if (!options.compares)
        notes.push('Only files were checked (verify: static): no page was compared with what a browser shows.')
      if (hasOldRoutes)
        notes.push('The site tells its pages apart by fragments such as #!/page; only its first page is here.')
      const { pages, opened } = scriptLinks.found()
      if (pages[0] !== undefined) {
        const which = `linked only by what scripts add to others, such as ${nameOf(pages[0])}`
        const more = opened.length > 0 ? `; to find such, further pages were opened in a browser: ${opened.length}` : ''
        notes.push(`Pages ${which}: ${pages.length}${more}.`)
      }
      for (const key of [...state.apps.keys()].sort()) {
        const count = [...rendered].filter(page => appKey(page) === key).length
        notes.push(
          `${nameOf(key)} shows ${count} pages by fragments (#/page): at the root of a host its own scripts do so, and elsewhere each is a page of its own.`,
        )
      }
      for (const key of [...empty].sort()) {
        notes.push(`${nameOf(key)} may be incomplete: its scripts build it, and no browser could show it.`)
      }
      for (const key of [...cut].sort()) {
        const most = state.limits.pageRequests
        notes.push(`${nameOf(key)} asks for more than ${most} files in a browser; the rest was refused.`)
      }
      return { renderedPages: [...rendered], comparedPages: [...compared], notes }
    },
    async close() {
      await renderer?.then(open => open.close()).catch(() => {})
    },
  }
}

function nameOf(key: string): string {
  const { pathname, hash } = new URL(key)
  return pathname + hash
}

function replaceBy(page: FetchedPage, shown: FetchedPage | 'same' | 'missing'): FetchedPage | null {
  if (shown === 'missing') return null
  if (shown === 'same' || shown.resource.rendered) return shown === 'same' ? page : shown
  const links = [...new Set([...page.content.links, ...shown.content.links])]
  return { resource: page.resource, content: { ...page.content, links } }
}
