// A long file: how files are needed, fetched and saved, and which files those name.
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answerer } from '../../web/browser/browser-request.ts'
import type { PageLook } from '../../web/browser/page-look.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Answer } from '../../web/fetch/fetcher.ts'
import type { UrlRole } from '../../web/html/page-links.ts'
import { decodeRaw, headerCharset, readRawText } from '../../web/html/text-encoding.ts'
import { createModuleNames, type ModuleNames } from '../../web/javascript/import-map.ts'
import { placesOf } from '../../web/javascript/script-files.ts'
import type { ScriptNeed } from '../../web/javascript/script-needs.ts'
import { ExportError } from '../model/export-error.ts'
import { totalExceeded } from '../model/limits.ts'
import type { ExportReport } from '../model/report.ts'
import type { FileOutcome, Resource } from '../model/resource.ts'
import { assetKey } from '../model/site.ts'
import type { ReadPage } from '../pages/page-tasks.ts'
import type { CrawlTools, MutableSite } from './crawl-tools.ts'
import { readFileNeeds, type TextFile } from './file-needs.ts'
import { createJoinedNames, type JoinedNames } from './joined-names.ts'

/** Fetches the files of a site, each once, and the files that those files need. */
export interface FileCollector {
  /** Requests a file that a page or style sheet names. */
  need(url: URL, role: UrlRole): void
  /** Requests a file that a browser loaded. Skips URLs of other hosts that contain a timestamp. */
  needLoaded(url: URL): void
  /** Requests a file of another host whose address a script contains or builds. Ignores files of the site. */
  needScripted(url: URL): void
  /** Requests the files that the scripts in a page name. */
  needOfPrograms(page: { content: ReadPage; resource: Pick<Resource, 'url'> }): void
  /** Requests a file and waits for it. Returns null when it is missing. */
  get(url: URL, role: UrlRole): Promise<Resource | null>
  /** Saves the answer to a link that turned out to lead to a file. Discards the answer if the file is known. */
  keepAnswer(answer: Answer, key: string): Promise<void>
  /** Resolves when every requested file is fetched or known to be missing. */
  finish(): Promise<void>
  /** Returns the links in SVG files of the site that were fetched since the last call. */
  takeLinks(): URL[]
}

/** Max guesses tried for one script of another host. The owner of that host may not know about the export. */
const maxGuesses = 60

type FileTools = Omit<CrawlTools, 'pool' | 'views'>

interface FileWork {
  tools: FileTools
  found: Pick<MutableSite, 'files' | 'scripted' | 'guesses'>
  /** Requests under way, by key. */
  pending: Map<string, Promise<void>>
  /** Guesses under way. They run outside the queue and add requests to it. */
  background: Set<Promise<void>>
  moduleNames: ModuleNames
  joinedNames: JoinedNames
  /** Links in SVG files of the site, not yet taken. */
  links: URL[]
}

export function createFileCollector(tools: FileTools, found: FileWork['found']): FileCollector {
  const work: FileWork = {
    tools,
    found,
    pending: new Map(),
    background: new Set(),
    moduleNames: createModuleNames(url => needFile(work, url, 'script')),
    joinedNames: createJoinedNames(tools.site.origin, url => findData(work, url)),
    links: [],
  }
  return {
    need: (url, role) => needFile(work, url, role),
    needLoaded: url => needLoaded(work, url),
    needScripted: url => needScripted(work, url, 'asset'),
    needOfPrograms: page => needOfPrograms(work, page),
    get: (url, role) => getFile(work, url, role),
    keepAnswer: (answer, key) => keepAnswer(work, answer, key),
    finish: () => finishFiles(work),
    takeLinks: () => work.links.splice(0),
  }
}

function needFile(work: FileWork, address: URL, role: UrlRole): void {
  const { site, products, limits, queue, abort } = work.tools
  const { files } = work.found
  if (address.protocol !== 'http:' && address.protocol !== 'https:') return
  const url = site.own(address) ?? address
  const key = assetKey(url)
  if (isKnown(work, key)) return
  const verdict = products.judge(url)
  if (verdict === 'outside') return
  if (verdict) {
    files.set(key, { state: 'dropped', reason: verdict.refusal })
    return
  }
  if (files.size + work.pending.size >= limits.files) {
    const message = `The site needs more than ${limits.files} files; raise the limit or export fewer paths.`
    abort(new ExportError(message, 'too_large'))
    return
  }
  const task = () => fetchFile(work.tools, url, { key, role }, file => needOfFile(work, file))
  claimFile(work, key, () => queue.add(task)).catch(abort)
}

function isKnown({ found, pending }: FileWork, key: string): boolean {
  return found.files.has(key) || pending.has(key)
}

/** Records a file as pending, then records its outcome. Rejects only with errors that end the export. */
async function claimFile(work: FileWork, key: string, fetch: () => Promise<FileOutcome>): Promise<void> {
  const { files } = work.found
  const done = (async () => {
    try {
      files.set(key, await fetch())
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      files.set(key, { state: 'missing', reason: error.message })
    } finally {
      work.pending.delete(key)
    }
  })()
  work.pending.set(key, done)
  await done
}

async function keepAnswer(work: FileWork, answer: Answer, key: string): Promise<void> {
  if (isKnown(work, key)) return answer.drop()
  await claimFile(work, key, async () => ({
    state: 'file',
    resource: await saveFile(work.tools, answer, { key, role: 'asset' }, file => needOfFile(work, file)),
  }))
}

async function getFile(work: FileWork, url: URL, role: UrlRole): Promise<Resource | null> {
  const key = assetKey(work.tools.site.own(url) ?? url)
  needFile(work, url, role)
  await work.pending.get(key)
  const outcome = work.found.files.get(key)
  return outcome?.state === 'file' ? outcome.resource : null
}

/** Gets a file of the site that may name other files. Returns null when the file is missing. */
async function findData(work: FileWork, url: URL) {
  const { site, products, limits } = work.tools
  const own = site.own(url)
  const resource = own && products.refuse(own) === null ? await getFile(work, own, 'asset') : null
  if (!resource) return null
  const { file, kind, sizeBytes } = resource
  return { isData: kind === 'file' && sizeBytes <= limits.pageBytes, read: () => readFile(file) }
}

function needOfFile(work: FileWork, file: TextFile): void {
  const { named, guesses, script, links } = readFileNeeds(file)
  for (const link of file.isOwn ? links : []) {
    const own = work.tools.site.own(link)
    if (own && work.tools.site.inScope(own)) work.links.push(own)
  }
  for (const { url, role } of named) needFile(work, url, role)
  if (file.kind !== 'script') return
  if (file.isOwn) {
    guessFiles(work, guesses, file.url)
    work.joinedNames.addScript(file.text, file.url)
  } else guessBeside(work, guesses, file.url)
  needOfScript(work, script)
}

function needOfPrograms(work: FileWork, { content, resource }: Parameters<FileCollector['needOfPrograms']>[0]): void {
  guessFiles(work, content.guesses, resource.url)
  for (const { text, base } of content.importMaps) work.moduleNames.addMap(text, new URL(base))
  needOfScript(work, content.scriptNeeds)
}

function needOfScript(work: FileWork, needs: readonly ScriptNeed[]): void {
  for (const need of needs) {
    if (need.kind === 'name') work.moduleNames.addName(need.name)
    else if (need.kind === 'file') needFile(work, new URL(need.url), 'script')
    else needScripted(work, new URL(need.url), 'script')
  }
}

/** Tries the names in a script of the site as file names. */
function guessFiles(work: FileWork, names: Iterable<string>, near: URL): void {
  const { site, abort } = work.tools
  for (const name of names) {
    const guess = guessFile(work, placesOf(name, site.origin, near))
      .catch(abort)
      .finally(() => work.background.delete(guess))
    work.background.add(guess)
  }
}

/** Tries places in order, and stops at the first one with a file. */
async function guessFile(work: FileWork, places: readonly URL[]): Promise<void> {
  const { site, exclusions } = work.tools
  for (const place of places) {
    const url = site.own(place)
    // The data of an excluded page is also excluded.
    if (!url || exclusions.has(url)) continue
    if (await getFile(work, url, 'asset')) return
  }
}

/** Tries the names in a script of another host as files below the script's folder. */
function guessBeside(work: FileWork, names: Iterable<string>, url: URL): void {
  const folder = new URL('.', url).href
  let guesses = 0
  for (const name of names) {
    const near = URL.parse(name, url)
    if (!near?.href.startsWith(folder) || !/\.(?:m?js|css|json|wasm)$/i.test(near.pathname)) continue
    const key = assetKey(near)
    if (!isKnown(work, key)) work.found.guesses.add(key)
    needFile(work, near, 'asset')
    guesses += 1
    if (guesses >= maxGuesses) return
  }
}

function needLoaded(work: FileWork, url: URL): void {
  const own = work.tools.site.own(url)
  if (own || !hasTimestamp(url)) needFile(work, own ?? url, 'asset')
}

function needScripted(work: FileWork, url: URL, role: 'script' | 'asset'): void {
  if (work.tools.site.own(url) || hasTimestamp(url)) return
  work.found.scripted.add(assetKey(url))
  needFile(work, url, role)
}

/** Detects the timestamp of a counter or a cache buster. Such a URL changes with every export. */
function hasTimestamp(url: URL): boolean {
  return /\d{12,}/.test(url.search)
}

async function finishFiles({ background, joinedNames, tools }: FileWork): Promise<void> {
  do {
    do {
      await Promise.all(background)
      await tools.queue.idle()
    } while (background.size > 0)
  } while (await joinedNames.resolve())
}

/** A file, and how it is loaded. */
interface FileRequest {
  key: string
  role: UrlRole
}

type SaveTools = Pick<CrawlTools, 'site' | 'fetcher' | 'limits' | 'folder'>

/**
 * Fetches a file into the work folder.
 *
 * @param onText called with a style sheet, script, manifest or SVG file, before it is saved.
 */
async function fetchFile(
  tools: SaveTools & Pick<CrawlTools, 'isAllowed'>,
  url: URL,
  request: FileRequest,
  onText: (file: TextFile) => void,
): Promise<FileOutcome> {
  const { site, isAllowed } = tools
  if (site.own(url) && !isAllowed(url)) return { state: 'missing', reason: 'refused by robots.txt' }
  const answer = await tools.fetcher.open(url)
  const landed = answer.redirected ? site.own(answer.url) : null
  const reason = landed && !isAllowed(landed) ? 'refused by robots.txt' : explainNoFile(answer)
  if (reason) {
    await answer.drop()
    return { state: 'missing', reason }
  }
  return { state: 'file', resource: await saveFile(tools, answer, request, onText) }
}

function explainNoFile({ status, type }: Answer): string | null {
  if (status >= 400 || status < 200) return `status ${status}`
  return type === 'text/html' ? 'got an HTML page instead of a file' : null
}

/** Saves the body of an answer in the work folder; see `fetchFile`. */
async function saveFile(
  tools: SaveTools,
  answer: Answer,
  { key, role }: FileRequest,
  onText: (file: TextFile) => void,
): Promise<Resource> {
  const own = tools.site.own(answer.url)
  const url = own ?? answer.url
  const file = workFile(tools, key)
  const kind = kindOf(answer.type, url, role)
  const base = { key, url, kind, type: answer.type, file, span: null, rendered: false, hasScripts: false }
  if (kind === 'file') {
    const saved = await answer.save(file, tools.limits.fileBytes)
    checkTotal(tools)
    return { ...base, charset: 'utf-8', ...saved }
  }
  const bytes = await answer.read(tools.limits.pageBytes)
  checkTotal(tools)
  const raw = readRawText(bytes, headerCharset(answer.contentType))
  onText({ kind, text: decodeRaw(raw.text, raw.charset), url, isOwn: own !== null })
  // An XML declaration names the encoding.
  await writeFile(file, kind === 'drawing' ? bytes : raw.text, 'latin1')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { ...base, charset: raw.charset, sizeBytes: bytes.length, sha256 }
}

function kindOf(type: string, url: URL, role: UrlRole): 'file' | TextFile['kind'] {
  if (type === 'text/css') return 'stylesheet'
  if (type === 'application/manifest+json' || /\.webmanifest$/i.test(url.pathname)) return 'manifest'
  if (type === 'image/svg+xml') return 'drawing'
  // Browsers run a script even if the server sends it with a wrong type.
  if (/javascript/.test(type) || (role === 'script' && /^(text\/plain|application\/octet-stream)?$/.test(type)))
    return 'script'
  return 'file'
}

/** Returns the path of the file in the work folder that contains the bytes of a resource. */
function workFile({ folder }: Pick<CrawlTools, 'folder'>, key: string): string {
  return join(folder, createHash('sha256').update(key).digest('hex').slice(0, 32))
}

/** @throws {ExportError} when the fetched bytes exceed the limit of one export. */
export function checkTotal({ fetcher, limits }: Pick<CrawlTools, 'fetcher' | 'limits'>): void {
  if (fetcher.totalBytes > limits.totalBytes) throw totalExceeded(limits)
}

/** A collected site, and the tools to fetch what the bundle check finds missing. */
export interface Collection {
  collected: MutableSite
  report: ExportReport
  tools: CrawlTools
  files: FileCollector
  /** Answers the requests of pages in a browser. */
  answer: Answerer
  /** Replaces pages with what a browser shows of them at the origin, without scripts, if this is whole. Returns their keys. */
  freeze(keys: readonly string[], isWhole: (key: string, words: string[]) => boolean): Promise<string[]>
  /** Pages kept as they were fetched that the crawl showed in a browser, by key. */
  looks: ReadonlyMap<string, PageLook>
}
