import { digest } from '../../base/digest.ts'
import { installCommand } from '../../web/browser/find-browser.ts'
import type { PageLook } from '../../web/browser/page-look.ts'
import { judgePage } from '../../web/html/page-text.ts'
import type { FetchedPage, PageCompleter } from '../crawl/page-completer.ts'
import { ExportError } from '../model/export-error.ts'
import type { ExportReport } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { PageWorkError } from '../pages/page-pool.ts'
import { readSpan } from '../pages/page-work.ts'
import { addPanels } from './add-panels.ts'
import { findFetched, finishComparisons, startComparisons } from './compare-templates.ts'
import type { Completion, PageCompleterOptions } from './completion.ts'
import { type CompletionFindings, describeFindings } from './completion-findings.ts'
import { createFragmentApps } from './fragment-apps.ts'
import { keepRendered } from './keep-rendered.ts'
import { createPageViews, type PageView } from './page-views.ts'
import { createScriptLinks } from './script-links.ts'
import { type ShowRequest, showPage } from './show-page.ts'
import { createTemplates } from './templates.ts'

/** Completes pages in a browser. */
export interface BrowserCompleter extends PageCompleter {
  /** Returns whether a page waits for the browser. */
  isRendering(): boolean
  findings(): Pick<ExportReport, 'renderedPages' | 'comparedPages' | 'notes'>
  /** Returns pages that were kept as fetched as a browser shows them, without scripts: those that it shows, if they are whole. */
  showFetched(keys: readonly string[], isWhole: (key: string, words: string[]) => boolean): Promise<FetchedPage[]>
  /** Complete pages that a browser showed as at the origin, by key. */
  looks: ReadonlyMap<string, PageLook>
}

/** Max short pages of a template that are shown one by one before the template counts as complete. */
const maxSuspects = 3
/** Max share of pages that may stay empty without a browser. */
const maxEmptyShare = 0.1

export function createPageCompleter(options: PageCompleterOptions): BrowserCompleter {
  const { tools, found, compares } = options
  const completion = createCompletion(options)
  const { views, apps, scriptLinks, findings } = completion
  let rendering = 0

  async function whileRendering<T>(work: () => Promise<T>): Promise<T> {
    rendering += 1
    try {
      return await work()
    } finally {
      rendering -= 1
    }
  }

  return {
    async complete(page) {
      const frozen = hasReference(completion, page) ? await whileRendering(() => freezePage(completion, page)) : null
      if (frozen?.isFrozen) return frozen.page
      const show: Show = request => whileRendering(() => showPage(completion, request))
      return completePage(completion, frozen?.page ?? page, show)
    },
    isApp: (key, routes) => whileRendering(() => apps.isApp(key, routes)),
    renderRoute: key => whileRendering(() => apps.show(key)),
    startComparisons() {
      if (views.isAvailable && compares) startComparisons(completion)
    },
    async review() {
      if (views.isAvailable) {
        const completed = await finishComparisons(completion)
        return [...completed, ...(compares ? await whileRendering(() => addPanels(completion, completed)) : [])]
      }
      checkEmptyShare(completion)
      return []
    },
    findScriptLinks: isKnown => whileRendering(() => scriptLinks.next(isKnown)),
    async showFetched(keys, isWhole) {
      const show = async (key: string) => {
        const resource = findFetched(completion, key)
        const view = resource && (await views.tryShow(resource))
        return view && isWhole(key, view.shown.words) ? tryKeep(completion, resource, view) : null
      }
      const shown = await whileRendering(() => Promise.all(keys.map(show)))
      return shown.filter(page => page !== null)
    },
    isRendering: () => rendering > 0,
    findings: () =>
      describeFindings(findings, {
        ...{ apps: found.apps, limits: tools.limits, compares, views, scriptLinks },
        hasFailedBrowser: tools.browserProblem !== null,
      }),
    looks: completion.looks,
  }
}

function createCompletion(options: PageCompleterOptions): Completion {
  const { tools, found, files, startKey } = options
  const findings: CompletionFindings = {
    rendered: new Set(),
    compared: new Set(),
    empty: new Set(),
    collapsed: new Set(),
    lostReferences: new Set(),
    tabbed: new Set(),
    closedTabs: new Set(),
    hasOldRoutes: false,
  }
  const views = createPageViews(options)
  const apps = createFragmentApps({
    ...{ site: tools.site, found, files, startKey, views },
    keep: (resource, shown) => keepRendered({ tools, findings }, resource, shown),
  })
  const scriptLinks = createScriptLinks(found, views)
  return {
    ...options,
    ...{ views, apps, scriptLinks, findings },
    templates: createTemplates(),
    comparisons: [],
    lacksPanels: new Set(),
    menuPages: [],
    looks: new Map(),
  }
}

type Show = (request: ShowRequest) => ReturnType<typeof showPage>

/** Shows a page in the browser if its HTML seems incomplete. */
async function completePage(completion: Completion, page: FetchedPage, show: Show): Promise<FetchedPage | null> {
  const { views, findings, templates, startKey } = completion
  const { content, resource } = page
  const { scripts, refreshes, hasEmptyRoot } = content.text
  if (scripts.length === 0 || refreshes) return page
  if (completion.compares) views.prepare()
  if (content.lacksPanels) completion.lacksPanels.add(resource.key)
  const verdict = judgePage(content.text)
  const template = templates.of(page)
  const request = { resource, content, siblings: template.keys }
  if (verdict === 'shell' || template.verdict === 'render') {
    if (views.isAvailable) return merge(page, await show(request))
    if (resource.key === startKey) throw browserMissing(completion)
    findings.empty.add(resource.key)
    return page
  }
  const isChecked = completion.compares || hasEmptyRoot
  if (verdict === 'suspect' && isChecked && views.isAvailable && template.suspects < maxSuspects) {
    template.suspects += 1
    return merge(page, await show(request))
  }
  template.keys.push(resource.key)
  if (content.controls > 0) template.controls.set(resource.key, content.controls)
  return page
}

/** Returns the page to keep, with the links of both versions. */
function merge(page: FetchedPage, shown: FetchedPage | 'same' | 'missing'): FetchedPage | null {
  if (shown === 'missing') return null
  if (shown === 'same' || shown.resource.rendered) return shown === 'same' ? page : shown
  const links = [...new Set([...page.content.links, ...shown.content.links])]
  return { resource: page.resource, content: { ...page.content, links } }
}

/** @throws {ExportError} when too many pages stay empty without a browser. */
function checkEmptyShare(completion: Completion): void {
  const { found, findings } = completion
  const pages = [...found.pages.values()].filter(outcome => outcome.state === 'page').length
  if (findings.empty.size > pages * maxEmptyShare) throw browserMissing(completion)
}

function browserMissing({ tools }: Completion): ExportError {
  const { site, browserProblem } = tools
  const message =
    browserProblem === null
      ? `${site.domain} builds its pages in the browser and no Chromium was found; install one with \`${installCommand()}\` and start again.`
      : `${site.domain} builds its pages in the browser, and the Chromium of this machine cannot be started. Its operator must act, not the owner of the site: ${browserProblem}`
  return new ExportError(message, browserProblem === null ? 'browser_missing' : 'browser_failed')
}

/** Decides whether a page has an API reference that the deployment may have only as text. */
function hasReference({ tools }: Pick<Completion, 'tools'>, { content }: FetchedPage): boolean {
  return tools.products.listReferences(content.products).length > 0
}

/**
 * Replaces a page with an API reference by what a browser shows, without what sends requests. If the browser does not show
 * the reference, for example because its script cannot be fetched, returns the page without the reference.
 */
async function freezePage(
  completion: Completion,
  page: FetchedPage,
): Promise<{ page: FetchedPage; isFrozen: boolean }> {
  const { tools, log } = completion
  const { content, resource } = page
  if (content.text.scripts.length === 0) {
    // Without scripts, the page is text already.
    const names = tools.products.listReferences(content.products)
    tools.products.noteFrozen(
      resource.key,
      names.map(name => ({ name, removed: [] })),
    )
    return { page, isFrozen: true }
  }
  const frozen = await tryFreeze(completion, page)
  if (frozen) return { page: frozen, isFrozen: true }
  log?.({ page: resource.key }, 'the browser shows no API reference; removed')
  completion.findings.lostReferences.add(resource.key)
  return { page: await removeReferences(completion, page), isFrozen: false }
}

/** @throws {ExportError} when the browser does not show the page in its time and this loss is not allowed. */
async function tryFreeze(completion: Completion, { resource }: FetchedPage): Promise<FetchedPage | null> {
  const { views, allowLoss } = completion
  const view = await views.tryShowReference(resource)
  if (!view && views.isAvailable && !allowLoss) {
    const { pathname } = resource.url
    const message = `The browser did not show the API reference ${pathname} in time; give it more (--page-timeout-seconds), leave it out (--exclude), or accept that the bundle lacks it (--allow-loss).`
    throw new ExportError(message, 'text_lost')
  }
  return view && view.shown.references.length > 0 ? tryKeep(completion, resource, view) : null
}

/** Returns the page as the browser shows it; null when it left the site or is too large. */
async function tryKeep(completion: Completion, resource: Resource, { shown }: PageView): Promise<FetchedPage | null> {
  const own = completion.tools.site.own(shown.url)
  if (!own) return null
  try {
    return await keepRendered(completion, resource, { ...shown, url: own })
  } catch (error) {
    if (error instanceof PageWorkError) return null
    throw error
  }
}

async function removeReferences({ tools }: Completion, { resource }: FetchedPage): Promise<FetchedPage> {
  const { span, charset, url } = resource
  const content = await tools.pool.read({
    bytes: span ? await readSpan(span) : Buffer.alloc(0),
    charset,
    url: url.href,
    isRendered: false,
    removesReferences: true,
    missing: null,
  })
  const { scripts } = content.text
  const changed = { charset: content.charset, span: content.span, sizeBytes: content.sizeBytes, sha256: content.sha256 }
  return {
    content,
    resource: { ...resource, ...changed, hasScripts: scripts.length > 0, template: digest(scripts.join(' ')) },
  }
}
