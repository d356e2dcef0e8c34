import { type Attribute, findAttribute, scanHtml, type Tag } from '../../web/html/html-scan.ts'
import { isExecutable } from '../../web/html/page-text.ts'
import { createSplices } from '../../web/html/splice.ts'
import { decodeAttribute, encodeAttribute, type RawText } from '../../web/html/text-encoding.ts'
import { encodeSegment } from '../rewrite/file-name.ts'
import { relativeReference } from '../rewrite/layout.ts'
import { sealEnd } from '../rewrite/seal.ts'

/** Where the run-time of guarded and frozen pages lies in the bundle. */
export const runtimePath = '_quire/runtime.js'

/**
 * A finished page whose own scripts start only at its own path at the root of a host, or anywhere on one; elsewhere it works as
 * plain HTML with our run-time. Each script is made inert, and a small one behind it writes it anew while the page is parsed:
 * so order, `defer`, `async`, modules, `document.write` and `document.currentScript` are the browser's own doing, and
 * at the root the document ends up as the site wrote it. Apps that fetch a page and put its markup into another one get
 * the guarded markup: the scripts in it start as well, those that ran already left alone.
 *
 * @param ownPath of the page on the site, as it stands in an address; null = its scripts run at any path of a host.
 */
export function guardPage(raw: RawText, path: string, ownPath: string | null): string {
  const call = '<script>__quire()</script>'
  return rewriteScripts(raw, guardMarkup(path, ownPath), (splices, tag, type, end) => {
    if (type) {
      const value = encodeAttribute(decodeAttribute(raw.text.slice(type.start, type.end), raw.charset), raw.charset)
      splices.replace(type.nameStart, type.outerEnd, `data-quire-type="${value}"`)
    }
    splices.replace(tag.nameEnd, tag.nameEnd, ' type="text/quire"')
    splices.replace(end, end, call)
  })
}

/** A finished page without the site's scripts. */
export function freezePage(raw: RawText, path: string): string {
  const runtime = `<script src="${encodeAttribute(relativeReference(path, runtimePath), raw.charset)}" defer></script>`
  return rewriteScripts(raw, runtime, (splices, tag, _type, end) => splices.replace(tag.start, end, ''))
}

type Change = (splices: ReturnType<typeof createSplices>, tag: Tag, type: Attribute | undefined, end: number) => void

function rewriteScripts(raw: RawText, markup: string, change: Change): string {
  const { text, charset } = raw
  const splices = createSplices(text)
  const seal = text.indexOf(sealEnd)
  // A page that is not sealed is none of ours.
  if (seal === -1) return text
  const sealed = seal + sealEnd.length
  splices.replace(sealed, sealed, markup)
  // What stands in these is no script of the page.
  let dormant = 0
  const isDormant = (name: string) => name === 'template' || name === 'noscript'
  scanHtml(text, {
    tag(tag) {
      if (isDormant(tag.name)) dormant += 1
      if (tag.name !== 'link') return
      const rel = findAttribute(tag, 'rel')
      const as = findAttribute(tag, 'as')
      const value = (attribute: Attribute | undefined) =>
        attribute ? decodeAttribute(text.slice(attribute.start, attribute.end), charset).trim().toLowerCase() : ''
      const isPreload =
        value(rel) === 'modulepreload' || (/^(preload|prefetch)$/.test(value(rel)) && value(as) === 'script')
      // Only a matter of speed where scripts run, and refused on file://.
      if (rel && isPreload) splices.replace(rel.nameStart, rel.nameStart, 'data-quire-')
    },
    closeTag(name) {
      if (isDormant(name) && dormant > 0) dormant -= 1
    },
    rawText(tag, _start, end) {
      // The search of the bundle stands at the end of the seal, and only there.
      if (tag.name !== 'script' || tag.start === sealed || dormant > 0 || !isExecutable(tag, raw)) return
      const close = text.indexOf('>', end)
      if (close !== -1) change(splices, tag, findAttribute(tag, 'type'), close + 1)
    },
  })
  return splices.apply()
}

function guardMarkup(path: string, ownPath: string | null): string {
  const folder = path
    .split('/')
    .slice(0, -1)
    .map(name => `/${encodeSegment(name)}`)
    .join('')
  const runtime = relativeReference(path, runtimePath)
  return `<script>(${guard})(${createHome(ownPath)},${toLiteral(runtime)},${toLiteral(`${folder}/`)})</script>`
}

/** A path on the site as the check for it reads it: a literal of JavaScript. Null = any path of a host will do. */
export function createHome(ownPath: string | null): string {
  const segments = ownPath?.split('/').map(segment => encodeSegment(decode(segment)))
  return toLiteral(segments?.join('/') ?? null)
}

function toLiteral(value: string | null): string {
  return JSON.stringify(value).replace(/</g, '\\u003c')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Declares `atHome`: whether the page is at the path `own` of a host, or of any host at all. */
export const homeCheck =
  "bare=function(p){try{p=decodeURIComponent(p)}catch(e){}return p.replace(/(\\/index)?(\\.x?html?)?\\/*$/i,'')}," +
  'atHome=/^https?:$/.test(location.protocol)&&(own===null||bare(location.pathname)===bare(own))'

/** Runs first of all in a page. In old JavaScript and ASCII: it stands inline in any page, whatever its encoding. */
const guard = [
  'function(own,runtime,folder){',
  // An app that takes over what it fetched of another page brings that page's guard, too.
  'if(window.__quire)return;',
  `var d=document,me=d.currentScript,ran={},${homeCheck},`,
  "isInert=function(s){return s&&s.type==='text/quire'},",
  // Some run-times tell their scripts apart by the address as it stands there, and sites mostly name it from the root.
  "value=function(a){return own!==null&&a.name==='src'&&!/^([a-z][a-z0-9+.-]*:|[/]|$)/i.test(a.value)?new URL(a.value,location.origin+folder).href.slice(location.origin.length):a.value},",
  "name=function(a){return a.name==='data-quire-type'?'type':a.name},",
  "isNew=function(s){var a=d.createElement('a'),src=s.getAttribute('src'),old;if(!src)return true;",
  'a.href=src;old=ran[a.href];ran[a.href]=true;return !old},',
  // While the page is parsed.
  "write=function(call){var it=call.previousElementSibling,html='<script',i,a;call.remove();if(!atHome||!isInert(it))return;",
  "isNew(it);for(i=0;i<it.attributes.length;i++){a=it.attributes[i];if(a.name==='type')continue;",
  "html+=' '+name(a)+'=\"'+value(a).replace(/&/g,'&amp;').replace(/\"/g,'&quot;')+'\"'}",
  "html+='>'+it.text+'<\\/script>';it.remove();d.write(html)},",
  // Later: in markup that the app put in. What it runs itself it does not run in its place, so all of that is meant.
  'revive=function(call){var it=call&&call.previousElementSibling,all=isInert(it)?[it]:d.querySelectorAll(\'script[type="text/quire"]\'),i,j,s,a;',
  "for(i=0;i<all.length;i++){if(!isNew(all[i]))continue;s=d.createElement('script');s.async=false;",
  "for(j=0;j<all[i].attributes.length;j++){a=all[i].attributes[j];if(a.name!=='type')s.setAttribute(name(a),a.value)}",
  's.text=all[i].text;all[i].parentNode.replaceChild(s,all[i])}};',
  "window.__quire=function(){var call=d.currentScript;if(d.readyState==='loading')write(call);else if(atHome)revive(call)};",
  "if(!atHome)d.write('<script src=\"'+runtime+'\" defer><\\/script>');",
  'me.remove()}',
].join('')
