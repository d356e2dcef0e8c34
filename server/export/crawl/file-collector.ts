import { readFile } from 'node:fs/promises'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import type { Answer } from '../../web/fetch/fetcher.ts'
import type { UrlRole } from '../../web/html/url-attributes.ts'
import { createModuleNames, type ModuleNames } from '../../web/javascript/import-map.ts'
import { placesOf } from '../../web/javascript/script-files.ts'
import type { ScriptNeed } from '../../web/javascript/script-needs.ts'
import { ExportError } from '../model/export-error.ts'
import type { FileOutcome, Resource } from '../model/resource.ts'
import { assetKey } from '../model/site.ts'
import type { ReadPage } from '../pages/page-tasks.ts'
import type { MutableSite } from './collected-site.ts'
import type { CrawlTools } from './crawl-tools.ts'
import { readFileNeeds, type TextFile } from './file-needs.ts'
import { createJoinedNames, type JoinedNames } from './joined-names.ts'
import { fetchFile, saveFile } from './save-file.ts'

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
}

export function createFileCollector(tools: FileTools, found: FileWork['found']): FileCollector {
  const work: FileWork = {
    tools,
    found,
    pending: new Map(),
    background: new Set(),
    moduleNames: createModuleNames(url => needFile(work, url, 'script')),
    joinedNames: createJoinedNames(tools.site.origin, url => findData(work, url)),
  }
  return {
    need: (url, role) => needFile(work, url, role),
    needLoaded: url => needLoaded(work, url),
    needScripted: url => needScripted(work, url, 'asset'),
    needOfPrograms: page => needOfPrograms(work, page),
    get: (url, role) => getFile(work, url, role),
    keepAnswer: (answer, key) => keepAnswer(work, answer, key),
    finish: () => finishFiles(work),
  }
}

function needFile(work: FileWork, address: URL, role: UrlRole): void {
  const { site, products, limits, queue, abort } = work.tools
  const { files } = work.found
  if (address.protocol !== 'http:' && address.protocol !== 'https:') return
  if (products.leavesOutside(address)) return
  const url = site.own(address) ?? address
  const key = assetKey(url)
  if (isKnown(work, key)) return
  const refusal = products.refuse(url)
  if (refusal) {
    files.set(key, { state: 'dropped', reason: refusal })
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
  const { named, guesses, script } = readFileNeeds(file)
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
