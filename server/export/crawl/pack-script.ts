import { chunkFiles } from '../../web/javascript/chunk-files.ts'
import { scriptFiles } from '../../web/javascript/script-files.ts'
import type { ScriptNeed } from '../../web/javascript/script-needs.ts'
import { assetKey } from '../model/site.ts'
import type { CrawlState } from './crawl-state.ts'
import { needFile } from './need-file.ts'

/** Scripts of others are asked for at most so many files by guess: their hosts are not ours to try out. */
const mostGuesses = 60
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
    if (guesses >= mostGuesses) return
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
