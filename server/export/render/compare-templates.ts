import type { ControlState } from '../../in-page/panels/pressed-control.ts'
import type { FetchedPage } from '../crawl/page-completer.ts'
import type { Resource } from '../model/resource.ts'
import type { Completion } from './completion.ts'
import { findGain } from './find-gain.ts'
import { keepWithMenus } from './keep-rendered.ts'
import { showPage } from './show-page.ts'
import type { Template } from './templates.ts'

/** Max templates compared per export. A site has few, and each costs the browser one page. */
const maxTemplates = 4

/** Starts to compare one page of each new template. Templates with the most pages come first. */
export function startComparisons(completion: Completion): void {
  const { templates, findings, comparisons } = completion
  const unknown = templates.list().filter(({ verdict, keys }) => verdict === 'unknown' && keys.length > 0)
  const samples = unknown.map(template => ({ template, key: template.keys.reduce((a, b) => (a < b ? a : b)) }))
  samples.sort((a, b) => b.template.keys.length - a.template.keys.length || (a.key < b.key ? -1 : 1))
  for (const { template, key } of samples.slice(0, Math.max(0, maxTemplates - findings.compared.size))) {
    findings.compared.add(key)
    const comparison = compareTemplate(completion, template, key)
    comparison.catch(() => {})
    comparisons.push(comparison)
  }
}

/** Waits for the comparisons. Renders the pages of templates whose HTML is incomplete. */
export async function finishComparisons(completion: Completion): Promise<FetchedPage[]> {
  const { templates, comparisons, menuPages } = completion
  await Promise.all(comparisons)
  const incomplete = templates.list().filter(({ verdict }) => verdict === 'render')
  const withMenus = menuPages.splice(0)
  return [...withMenus, ...(await Promise.all(incomplete.map(each => renderTemplate(completion, each)))).flat()]
}

/** Max pages of a template that are opened to find out what their buttons do. */
const maxProbed = 2

/**
 * Lists the pages whose scripts show more text when a button in the content is pressed: those with such buttons, in templates
 * in which a page with the most buttons does that. Pages that no framework controls have the text already.
 */
export async function listHiding({ templates, views, found }: Completion): Promise<string[]> {
  async function isHiding(key: string): Promise<boolean> {
    const kept = findFetched({ found }, key)
    const shown = kept && (await views.tryShow(kept))?.shown
    return shown?.look.isTakenOver === true && shown.states.some(({ isFresh, isContent }) => isFresh && isContent)
  }
  const listed = await Promise.all(
    templates.list().map(async ({ controls }) => {
      const sorted = [...controls].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1))
      const probed = await Promise.all(sorted.slice(0, maxProbed).map(([key]) => isHiding(key)))
      return probed.includes(true) ? [...controls.keys()] : []
    }),
  )
  return listed.flat()
}

/** Shows one page of a template, and decides whether the HTML of its pages is complete. */
async function compareTemplate(completion: Completion, template: Template, key: string): Promise<void> {
  const { views, files, menuPages, scriptLinks, looks, log } = completion
  template.verdict = 'complete'
  const kept = findFetched(completion, key)
  const view = kept && (await views.tryShow(kept))
  if (!view) return
  const { shown, fetched } = view
  const gained = findGain(shown, fetched)
  if (gained === 'content') {
    template.verdict = 'render'
    log?.({ page: key, pages: template.keys.length }, 'the HTML of this template is incomplete')
    return
  }
  looks.set(key, shown.look)
  if (shown.look.isTakenOver) template.shared = listShared(shown.states)
  if (gained === 'menus') menuPages.push(await keepWithMenus(completion, kept, shown))
  // The scripts of the page stay in the bundle and load these files there.
  for (const url of shown.loaded) files.needLoaded(url)
  scriptLinks.note(key, shown, template.keys)
}

async function renderTemplate(completion: Completion, template: Template): Promise<FetchedPage[]> {
  const keys = template.keys.splice(0)
  const siblings = template.keys
  const pages = await Promise.all(
    keys.map(async key => {
      const resource = findFetched(completion, key)
      return resource ? showPage(completion, { resource, content: null, siblings }) : 'same'
    }),
  )
  return pages.filter(page => typeof page !== 'string')
}

/** Finds a page that is kept as it was fetched; null when there is none. */
export function findFetched({ found }: Pick<Completion, 'found'>, key: string): Resource | null {
  const outcome = found.pages.get(key)
  return outcome?.state === 'page' && !outcome.resource.rendered ? outcome.resource : null
}

/** Max characters of the states that all pages of a template share. */
const maxShared = 4000

/** Lists the states of controls outside of the content: they are the same on other pages, unless they have relative addresses. */
function listShared(states: readonly ControlState[]): ControlState[] {
  let room = maxShared
  return states.filter(({ isContent, isFresh, html }) => {
    if (isContent || !isFresh || html.length > room || /\s(?:href|src)="(?!\/|#|https?:)/.test(html)) return false
    room -= html.length
    return true
  })
}
