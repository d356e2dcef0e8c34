import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { FetchError } from '../fetch/fetcher.ts'
import { readPageLinks } from '../page/page-links.ts'
import { countMissing, type PageText, readPageText, splitWords } from '../page/page-text.ts'
import { headerCharset, type RawText, readRawText } from '../page/text-encoding.ts'
import { type CrawlState, checkTotal, type PageOutcome, type Resource, workFile } from './crawl-state.ts'
import type { MissingPage } from './discover.ts'
import { claimFile, guessFiles, needFile, storeFile } from './pack-file.ts'
import { assetKey, linkKey } from './site.ts'

/** A link to look at: one page, and the spellings under which it was linked (`/a`, `/a/`, `/a/index.html`). */
export interface Candidate {
  key: string
  targets: URL[]
  /** How many of the targets were tried. */
  tried: number
}

/** A page as fetched, before it is decided whether its HTML is enough. */
export interface FetchedPage {
  resource: Resource
  raw: RawText
  text: PageText
}

export interface VisitContext {
  state: CrawlState
  missing: MissingPage
  /** The words of the page that stands for a missing one; null when the site answers a proper 404. */
  missingWords: string[] | null
  startKey: string
}

/** Fetches what a link leads to and notes the outcome; gives the page when it is one that was not seen before. */
export async function visitPage(context: VisitContext, candidate: Candidate): Promise<FetchedPage | null> {
  const { state } = context
  try {
    while (candidate.tried < candidate.targets.length) {
      const target = candidate.targets[candidate.tried]
      candidate.tried += 1
      if (!target) break
      const result = await fetchPage(context, target, candidate.key)
      if ('resource' in result) return result
      state.pages.set(candidate.key, result)
      if (result.state !== 'missing') break
    }
    return null
  } finally {
    state.pendingPages.delete(candidate.key)
  }
}

type NoPage = Exclude<PageOutcome, { state: 'page' }>

async function fetchPage(context: VisitContext, target: URL, key: string): Promise<FetchedPage | NoPage> {
  const { state, missing } = context
  const { site } = state
  if (!state.isAllowed(target)) return { state: 'skipped', reason: 'refused by robots.txt' }
  try {
    const answer = await state.fetcher.open(target, 'text/html,application/xhtml+xml,*/*;q=0.8')
    const url = site.own(answer.url)
    const leave = async (outcome: NoPage) => {
      await answer.drop()
      return outcome
    }
    if (!url) return leave({ state: 'elsewhere', url: answer.url })
    if (answer.status >= 500 || answer.status === 429)
      return leave({ state: 'failed', reason: `status ${answer.status}` })
    if (answer.status !== 200) return leave({ state: 'missing', reason: `status ${answer.status}` })

    let pageKey = key
    if (answer.redirected && linkKey(url) !== key) {
      pageKey = linkKey(url)
      const toMissing = missing.status === 200 && linkKey(missing.url) !== linkKey(missing.asked)
      if (toMissing && pageKey === linkKey(missing.url) && key !== context.startKey) {
        return leave({ state: 'missing', reason: 'sent to the page that stands for missing ones' })
      }
      if (!site.inScope(url)) return leave({ state: 'skipped', reason: `outside of ${site.origin.pathname}` })
      if (state.pages.has(pageKey) || state.pendingPages.has(pageKey)) return leave({ state: 'redirect', to: pageKey })
      state.pendingPages.add(pageKey)
      state.pages.set(key, { state: 'redirect', to: pageKey })
    }
    if (answer.type !== 'text/html' && answer.type !== 'application/xhtml+xml') {
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
    const raw = state.products.clean(readRawText(bytes, headerCharset(answer.contentType)), url, pageKey)
    const text = readPageText(raw)
    if (pageKey !== context.startKey && isMissing(context, text.words, url)) {
      return { state: 'missing', reason: 'answers like a page that does not exist' }
    }
    const resource: Resource = {
      key: pageKey,
      url,
      kind: 'page',
      type: answer.type,
      charset: raw.charset,
      file: workFile(state, `page ${pageKey}`),
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      rendered: false,
    }
    return { resource, raw, text }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    const passing = error.code === 'network' || error.code === 'timeout'
    return { state: passing ? 'failed' : 'missing', reason: error.message }
  }
}

/** Keeps a page and asks for the files it needs. Gives the site's own links that may be pages. */
export async function keepPage(state: CrawlState, page: Pick<FetchedPage, 'resource' | 'raw'>): Promise<URL[]> {
  const { resource, raw } = page
  state.pages.set(resource.key, { state: 'page', resource })
  const { links, assets, scripts } = readPageLinks(raw, resource.url)
  for (const { url, role } of assets) {
    // A rendered page keeps no scripts, so it needs none.
    if (role !== 'script' || !resource.rendered) needFile(state, url, role)
  }
  if (!resource.rendered) for (const script of scripts) guessFiles(state, script, resource.url)
  await writeFile(resource.file, raw.text, 'latin1')
  return links.flatMap(link => {
    const own = state.site.own(link)
    return own && state.site.inScope(own) ? [own] : []
  })
}

/** Words that a page may have more or less than the one that stands for a missing page and still be it. */
const mostOwnWords = 3

/** Whether a page answered with 200 says what the page for a made-up address says. */
export function isMissing(context: Pick<VisitContext, 'missing' | 'missingWords'>, words: string[], url: URL): boolean {
  const { missing, missingWords } = context
  // An empty shell says the same everywhere; what it becomes in a browser is compared instead.
  if (!missingWords || missingWords.length < 3) return false
  // Such pages often repeat the address they were asked for; both are compared without either.
  const asked = [...pathWords(url), ...pathWords(missing.asked)]
  const isOwn = (word: string) => !asked.some(part => word.includes(part))
  const page = words.filter(isOwn)
  const model = missingWords.filter(isOwn)
  // Not a share: two short pages with a long menu in common are still two pages.
  return countMissing(page, model) <= mostOwnWords && countMissing(model, page) <= mostOwnWords
}

function pathWords(url: URL): string[] {
  return splitWords(decodeURIComponentSafely(url.pathname).replace(/\//g, ' ')).filter(word => word.length > 3)
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
