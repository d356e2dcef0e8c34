import { FetchError } from '../../web/fetch/fetch-error.ts'
import { headerCharset } from '../../web/html/text-encoding.ts'
import type { PageOutcome, Resource } from '../model/resource.ts'
import { assetKey, isTellingQuery, linkKey, queryKey } from '../model/site.ts'
import { PageWorkError } from '../pages/page-pool.ts'
import type { ReadPage, ReadTask } from '../pages/page-tasks.ts'
import type { Candidate } from './candidate.ts'
import { type CrawlState, checkTotal } from './crawl-state.ts'
import type { MissingPage } from './missing-probe.ts'
import { claimFile, guessFiles, needFile, needOfScript, storeFile } from './need-file.ts'

/** Whether another spelling may lead to the page. */
export function gaveNothing(outcome: PageOutcome): boolean {
  const { state } = outcome
  return state === 'missing' || state === 'failed' || (state === 'skipped' && outcome.reason === refused)
}

/** A page as fetched, before it is decided whether its HTML is enough. */
export interface FetchedPage {
  resource: Resource
  content: ReadPage
}

export interface VisitContext {
  state: CrawlState
  missing: MissingPage
  /** What the page says that stands for missing ones; null when the site answers a proper 404. */
  missingContent: ReadTask['missing']
  startKey: string
  /** Hears where a redirect led that is another page. It is asked for like any other: several may lead there, in any order. */
  onLanding(key: string, url: URL): void
}

/** Fetches what a link leads to and notes the outcome; gives the page when it is one that was not seen before. */
export async function visitPage(context: VisitContext, candidate: Candidate): Promise<FetchedPage | null> {
  const { state } = context
  try {
    // Spellings that are met meanwhile have their turn later: when they are met depends on the order of the answers.
    for (let left = candidate.targets.length - candidate.tried; left > 0; left -= 1) {
      const target = candidate.targets[candidate.tried]
      candidate.tried += 1
      if (!target) break
      const isAssumed = target === candidate.assumed
      const result = await fetchPage(context, new URL(target), candidate.key, isAssumed)
      if ('resource' in result) return result
      if (isAssumed) continue
      state.pages.set(candidate.key, result)
      if (!gaveNothing(result)) break
    }
    return null
  } finally {
    state.pendingPages.delete(candidate.key)
  }
}

const refused = 'refused by robots.txt'

type NoPage = Exclude<PageOutcome, { state: 'page' }>

async function fetchPage(
  context: VisitContext,
  target: URL,
  key: string,
  isAssumed: boolean,
): Promise<FetchedPage | NoPage> {
  const { state, missing } = context
  const { site } = state
  if (!state.isAllowed(target)) return { state: 'skipped', reason: refused }
  try {
    const answer = await state.fetcher.open(target, 'text/html,application/xhtml+xml,*/*;q=0.8')
    const url = site.own(answer.url)
    const leave = async (outcome: NoPage) => {
      await answer.drop()
      return outcome
    }
    const isPage = answer.type === 'text/html' || answer.type === 'application/xhtml+xml'
    if (isAssumed && (answer.redirected || answer.status !== 200 || !isPage))
      return leave({ state: 'missing', reason: 'not there under this name' })
    if (!url) return leave({ state: 'elsewhere', url: answer.url })
    if (answer.redirected && !state.isAllowed(url)) return leave({ state: 'skipped', reason: refused })
    if (answer.status >= 500 || answer.status === 429)
      return leave({ state: 'failed', reason: `status ${answer.status}` })
    if (answer.status !== 200) return leave({ state: 'missing', reason: `status ${answer.status}` })

    const landed = answer.redirected ? landedKey(state, target, url, key) : key
    if (landed !== key) {
      const toMissing = missing.status === 200 && linkKey(missing.url) !== linkKey(missing.asked)
      if (toMissing && landed === linkKey(missing.url) && key !== context.startKey) {
        return leave({ state: 'missing', reason: 'sent to the page that stands for missing ones' })
      }
      if (!site.inScope(url)) return leave({ state: 'skipped', reason: `outside of ${site.origin.pathname}` })
      context.onLanding(landed, url)
      return leave({ state: 'redirect', to: landed })
    }
    if (!isPage) {
      const fileKey = assetKey(url)
      const isKnown = state.files.has(fileKey) || state.pendingFiles.has(fileKey)
      if (isKnown) return leave({ state: 'file', key: fileKey })
      await claimFile(state, fileKey, async () => ({
        state: 'file',
        resource: await storeFile(state, answer, fileKey),
      }))
      return { state: 'file', key: fileKey }
    }

    const bytes = await answer.read(state.limits.pageBytes)
    checkTotal(state)
    const content = await state.pool.read({
      bytes,
      charset: headerCharset(answer.contentType),
      isXhtml: answer.type === 'application/xhtml+xml',
      url: url.href,
      isRendered: false,
      missing: key === context.startKey ? null : context.missingContent,
    })
    if (content.isMissing) return { state: 'missing', reason: 'answers like a page that does not exist' }
    state.products.note(key, content.products)
    const { charset, span, sizeBytes, sha256 } = content
    const { type } = answer
    return {
      content,
      resource: {
        ...{ key, url, kind: 'page', type, charset, file: span.file, span, sizeBytes, sha256 },
        rendered: false,
        hasScripts: content.text.scripts.length > 0,
      },
    }
  } catch (error) {
    if (error instanceof PageWorkError) return { state: 'failed', reason: error.message }
    if (!(error instanceof FetchError)) throw error
    if (error.code === 'too_large') return { state: 'skipped', reason: error.message }
    if (error.code === 'excluded' && error.redirectedTo) {
      state.exclusions.note(linkKey(error.redirectedTo), error.redirectedTo)
      return { state: 'redirect', to: linkKey(error.redirectedTo) }
    }
    const passing = error.code === 'network' || error.code === 'timeout'
    // Another site that cannot be reached now is still where the link leads.
    const isElsewhere = error.redirectedTo && !site.own(error.redirectedTo) && (passing || error.code === 'certificate')
    if (error.redirectedTo && isElsewhere) return { state: 'elsewhere', url: error.redirectedTo }
    return { state: passing ? 'failed' : 'missing', reason: error.message }
  }
}

/** The key of where a redirect led. From one query of a path to another of the same, both are pages of their own. */
function landedKey({ queried }: CrawlState, target: URL, url: URL, key: string): string {
  const plain = linkKey(url)
  const withinPath = plain === linkKey(target) && plain !== key
  return (withinPath || queried.has(plain)) && isTellingQuery(url) ? queryKey(url) : plain
}

/** Keeps a page and asks for the files it needs. Gives the site's own links that may be pages. */
export function keepPage(state: CrawlState, { resource, content }: FetchedPage): readonly string[] {
  state.pages.set(resource.key, { state: 'page', resource })
  for (const { url, role } of content.assets) {
    // A rendered page keeps no scripts, so it needs none.
    if (role !== 'script' || !resource.rendered) needFile(state, new URL(url), role)
  }
  if (!resource.rendered) needOfPrograms(state, { resource, content })
  return content.links
}

/** Asks for what the scripts in a page name. */
export function needOfPrograms(state: CrawlState, { resource, content }: FetchedPage): void {
  guessFiles(state, content.guesses, resource.url)
  for (const { text, base } of content.importMaps) state.moduleNames.addMap(text, new URL(base))
  needOfScript(state, content.scriptNeeds)
}
