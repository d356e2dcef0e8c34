import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Answer } from '../../web/fetch/fetcher.ts'
import { cssUrls } from '../../web/html/css-urls.ts'
import { manifestUrls } from '../../web/html/manifest.ts'
import { decodeRaw, headerCharset, readRawText } from '../../web/html/text-encoding.ts'
import type { UrlRole } from '../../web/html/url-attributes.ts'
import { chunkFiles, fullTwin } from '../../web/javascript/chunk-files.ts'
import { placesOf, scriptFiles } from '../../web/javascript/script-files.ts'
import { type ScriptNeed, scriptNeeds } from '../../web/javascript/script-needs.ts'
import { ExportError } from '../model/export-error.ts'
import type { FileOutcome, Resource } from '../model/resource.ts'
import { assetKey } from '../model/site.ts'
import { type CrawlState, checkTotal, workFile } from './crawl-state.ts'

/** Sees to it that a file that a page or style sheet needs is fetched once, with the files it needs in turn. */
export function needFile(state: CrawlState, address: URL, role: UrlRole): void {
  if (address.protocol !== 'http:' && address.protocol !== 'https:') return
  if (state.products.leavesOutside(address)) return
  const own = state.site.own(address)
  const url = own ?? address
  const key = assetKey(url)
  if (state.files.has(key) || state.pendingFiles.has(key)) return
  const refusal = state.refuseFile(url)
  if (refusal) {
    state.files.set(key, { state: 'dropped', reason: refusal })
    return
  }
  if (state.files.size + state.pendingFiles.size >= state.limits.files) {
    const message = `The site needs more than ${state.limits.files} files; raise the limit or export fewer paths.`
    state.abort(new ExportError(message, 'too_large'))
    return
  }
  claimFile(state, key, () => state.queue.add(() => fetchFile(state, url, key, role))).catch(error =>
    state.abort(error),
  )
}

/** Fetches the files that a script of the site seems to load, by their names in it, where they are there. */
export function guessFiles(state: CrawlState, names: Iterable<string>, near: URL): void {
  for (const name of names) startBeside(state, () => guessFile(state, placesOf(name, state.site.origin, near)))
}

/** Runs work beside the queue; the crawl does not end before it. */
function startBeside(state: CrawlState, task: () => Promise<void>): void {
  const work = task()
    .catch(error => state.abort(error))
    .finally(() => state.background.delete(work))
  state.background.add(work)
}

/** Fetches a file of the site if it is there, for what it says of others. */
export async function findData(state: CrawlState, url: URL) {
  const own = state.site.own(url)
  if (!own || state.products.refuse(own) !== null) return null
  const key = assetKey(own)
  needFile(state, own, 'asset')
  await state.pendingFiles.get(key)
  const outcome = state.files.get(key)
  if (outcome?.state !== 'file') return null
  const { file, kind, sizeBytes } = outcome.resource
  return { isData: kind === 'file' && sizeBytes <= state.limits.pageBytes, read: () => readFile(file) }
}

async function guessFile(state: CrawlState, places: URL[]): Promise<void> {
  for (const place of places) {
    const url = state.site.own(place)
    // What scripts load of a page that is left out, such as its data, stays out with it.
    if (!url || state.exclusions.has(url)) continue
    const key = assetKey(url)
    needFile(state, url, 'asset')
    await state.pendingFiles.get(key)
    if (state.files.get(key)?.state === 'file') return
  }
}

/** Notes a file as under way, then its outcome. Resolves when that is known; rejects only with what ends the export. */
export async function claimFile(state: CrawlState, key: string, work: () => Promise<FileOutcome>): Promise<void> {
  const done = (async () => {
    try {
      state.files.set(key, await work())
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      state.files.set(key, { state: 'missing', reason: error.message })
    } finally {
      state.pendingFiles.delete(key)
    }
  })()
  state.pendingFiles.set(key, done)
  await done
}

async function fetchFile(state: CrawlState, url: URL, key: string, role: UrlRole): Promise<FileOutcome> {
  if (state.site.own(url) && !state.isAllowed(url)) return { state: 'missing', reason: 'refused by robots.txt' }
  const answer = await state.fetcher.open(url)
  const found = answer.redirected ? state.site.own(answer.url) : null
  if (found && !state.isAllowed(found)) {
    await answer.drop()
    return { state: 'missing', reason: 'refused by robots.txt' }
  }
  if (answer.status >= 400 || answer.status < 200) {
    await answer.drop()
    return { state: 'missing', reason: `status ${answer.status}` }
  }
  if (answer.type === 'text/html') {
    await answer.drop()
    return { state: 'missing', reason: 'a page stands where a file is expected' }
  }
  return { state: 'file', resource: await storeFile(state, answer, key, role) }
}

/** Keeps the body of an answer in the work folder. Style sheets, scripts and manifests are read for what they need. */
export async function storeFile(
  state: CrawlState,
  answer: Answer,
  key: string,
  role: UrlRole = 'asset',
): Promise<Resource> {
  const own = state.site.own(answer.url)
  const url = own ?? answer.url
  const file = workFile(state, key)
  const kind = kindOf(answer.type, url, role)
  const base = { key, url, kind, type: answer.type, file, span: null, rendered: false, hasScripts: false }
  if (kind === 'file') {
    const saved = await answer.save(file, state.limits.fileBytes)
    checkTotal(state)
    return { ...base, charset: 'utf-8', ...saved }
  }
  const bytes = await answer.read(state.limits.pageBytes)
  checkTotal(state)
  const raw = readRawText(bytes, headerCharset(answer.contentType))
  const text = decodeRaw(raw.text, raw.charset)
  if (kind === 'script') {
    const twin = fullTwin(url)
    const names = [...scriptFiles(text), ...chunkFiles(text), ...(twin ? [twin] : [])]
    if (own) {
      guessFiles(state, new Set(names), url)
      state.joinedNames.addScript(text, url)
    }
    if (!own) guessBeside(state, text, url)
    needOfScript(state, scriptNeeds(text, { url, isOwn: own !== null, isInline: false }))
  } else if (kind === 'stylesheet') {
    for (const found of cssUrls(text)) {
      const needed = URL.parse(found.url, url)
      if (needed && !found.url.startsWith('#'))
        needFile(state, needed, found.kind === 'import' ? 'stylesheet' : 'asset')
    }
  } else {
    for (const address of manifestUrls(text).icons) {
      const needed = URL.parse(address, url)
      if (needed) needFile(state, needed, 'asset')
    }
  }
  await writeFile(file, raw.text, 'latin1')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { ...base, charset: raw.charset, sizeBytes: bytes.length, sha256 }
}

function kindOf(type: string, url: URL, role: UrlRole): Resource['kind'] {
  if (type === 'text/css') return 'stylesheet'
  if (type === 'application/manifest+json' || /\.webmanifest$/i.test(url.pathname)) return 'manifest'
  // Browsers run a script whatever type a careless server gives it.
  if (/javascript/.test(type) || (role === 'script' && /^(text\/plain|application\/octet-stream)?$/.test(type)))
    return 'script'
  return 'file'
}

/** Scripts of others are asked for at most so many files by guess: their hosts are not ours to try out. */
const maxGuesses = 60
/** Asks for what a script names. */
export function needOfScript(state: CrawlState, needs: readonly ScriptNeed[]): void {
  for (const need of needs) {
    if (need.kind === 'name') state.moduleNames.addName(need.name)
    else if (need.kind === 'file') needFile(state, new URL(need.url), 'script')
    else needScripted(state, new URL(need.url), 'script')
  }
}

/** Guesses at what lies beside a script of another host, by the names that it holds. */
export function guessBeside(state: CrawlState, text: string, url: URL): void {
  const folder = new URL('.', url).href
  let guesses = 0
  for (const name of new Set([...chunkFiles(text), ...scriptFiles(text)])) {
    const near = URL.parse(name, url)
    if (!near?.href.startsWith(folder) || !/\.(?:m?js|css|json|wasm)$/i.test(near.pathname)) continue
    const key = assetKey(near)
    if (!state.files.has(key) && !state.pendingFiles.has(key)) state.guesses.add(key)
    needFile(state, near, 'asset')
    guesses += 1
    if (guesses >= maxGuesses) return
  }
}

/** Asks for what a browser saw a page load, whoever's it is. */
export function needLoaded(state: CrawlState, url: URL): void {
  const own = state.site.own(url)
  if (own || !isFleeting(url)) needFile(state, own ?? url, 'asset')
}

/** An address that carries the time is another one at the next export: a counter, or a way around caches. */
function isFleeting(url: URL): boolean {
  return /\d{12,}/.test(url.search)
}

/** The same as needFile for a file of another host whose address stands in a script, or is put together by one. */
export function needScripted(state: CrawlState, url: URL, role: 'script' | 'asset'): void {
  if (state.site.own(url) || isFleeting(url)) return
  state.scripted.add(assetKey(url))
  needFile(state, url, role)
}
