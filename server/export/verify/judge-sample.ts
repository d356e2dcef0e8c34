import { type Attribute, findAttribute, scanHtml } from '../../web/html/html-scan.ts'
import { isExecutable } from '../../web/html/page-text.ts'
import { decodeAttribute, type RawText } from '../../web/html/text-encoding.ts'
import type { ScriptChoice } from '../model/report.ts'
import type { Site } from '../model/site.ts'
import { readSpan } from '../pages/page-work.ts'
import { appsNeedRoot } from './choose-scripts.ts'
import type { ScriptedPage } from './sample-pages.ts'

/** Chooses where scripts run without a browser, based on patterns known to fail. */
export async function judgeSample(sampled: readonly ScriptedPage[]): Promise<ScriptChoice> {
  let hasScripts = false
  for (const { page, app } of sampled) {
    if (app) return { mode: 'guarded', reason: appsNeedRoot }
    const { span, charset, url } = page
    if (!span) continue
    const judged = judgeScripts({ text: (await readSpan(span)).toString('latin1'), charset }, url.pathname)
    hasScripts ||= judged.hasScripts
    if (judged.needsRoot) return { mode: 'guarded', reason: judged.needsRoot }
  }
  return { mode: hasScripts ? 'everywhere' : 'none', reason: null }
}

/** Decides whether these pages, as fetched, find their scripts in any folder. An app starts only at its own path. */
export async function areMovable(site: Pick<Site, 'own'>, sampled: readonly ScriptedPage[]): Promise<boolean> {
  const isOwn = (url: URL) => site.own(url) !== null
  if (sampled.some(({ app }) => app !== null)) return false
  for (const { page } of sampled) {
    const { span, charset, url } = page
    if (!span) continue
    const raw = { text: (await readSpan(span)).toString('latin1'), charset }
    if (namesRoot(raw, isOwn, url.pathname)) return false
  }
  return true
}

/** Marks in the HTML of frameworks that hydrate pages. */
const takenOver =
  /__NEXT_DATA__|self\.__next_f|id=["']?(?:__docusaurus|__nuxt|___gatsby|__next)\b|data-server-rendered|data-reactroot|data-v-app|ng-version=|data-sveltekit|<astro-island|q:container|window\.__NUXT__|__VP_HASH_MAP__|__remixContext/

/** Judges the scripts of a page without a browser, based on patterns known to fail away from the root of a host. */
export function judgeScripts(raw: RawText, ownPath: string): { hasScripts: boolean; needsRoot: string | null } {
  let hasScripts = false
  let needsRoot: string | null = null
  scanHtml(raw.text, {
    rawText(tag, start, end) {
      if (tag.name !== 'script' || !isExecutable(tag, raw)) return
      hasScripts = true
      const type = findAttribute(tag, 'type')
      const isModule =
        type && /^module$/i.test(decodeAttribute(raw.text.slice(type.start, type.end), raw.charset).trim())
      if (isModule) needsRoot ??= 'its scripts are modules, which browsers refuse on file://'
      else if (hasRootAddress(raw.text.slice(start, end), ownPath))
        needsRoot ??= 'its scripts use root-relative addresses'
    },
  })
  if (hasScripts && takenOver.test(raw.text)) needsRoot ??= 'an app hydrates its pages in the browser'
  return { hasScripts, needsRoot }
}

/**
 * Decides whether a page, as fetched, loads files by addresses relative to the root of the host.
 *
 * @param isOwn whether an absolute address belongs to the site.
 * @param ownPath path of the page on the site.
 */
export function namesRoot(raw: RawText, isOwn: (url: URL) => boolean, ownPath: string): boolean {
  const { text, charset } = raw
  let isFound = false
  const begins = (attribute: Attribute | undefined) => {
    if (!attribute) return false
    const address = decodeAttribute(text.slice(attribute.start, attribute.end), charset).trim()
    const url = /^(?:https?:)?\/\//i.test(address) ? URL.parse(address, 'https://page.invalid') : null
    return url ? isOwn(url) : address.startsWith('/')
  }
  scanHtml(text, {
    tag(tag) {
      if (tag.name === 'base') isFound ||= findAttribute(tag, 'href') !== undefined
      if (tag.name === 'script') isFound ||= begins(findAttribute(tag, 'src'))
      const rel = tag.name === 'link' ? findAttribute(tag, 'rel') : undefined
      if (rel && /stylesheet|preload/i.test(text.slice(rel.start, rel.end)))
        isFound ||= begins(findAttribute(tag, 'href'))
    },
    rawText(tag, start, end) {
      if (tag.name === 'script' && isExecutable(tag, raw)) isFound ||= hasRootAddress(text.slice(start, end), ownPath)
    },
  })
  return isFound
}

/** A string in a script that is an address relative to the root of the host. */
const rootAddress = /["'`](\/[\w@-][\w@/.-]*)["'`]/g

/** Decides whether a script names a file from the root of the host. A page that names its own address loads nothing there. */
function hasRootAddress(script: string, ownPath: string): boolean {
  const bare = (path: string) => path.replace(/(?:index)?(?:\.html)?\/?$/, '')
  for (const [, address = ''] of script.matchAll(rootAddress)) if (bare(address) !== bare(ownPath)) return true
  return false
}
