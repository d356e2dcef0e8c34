import { encodeSegment } from '../bundle/file-name.ts'
import { relativeReference } from '../bundle/layout.ts'
import { sealEnd } from '../bundle/seal.ts'
import { type Attribute, findAttribute, scanHtml, type Tag } from '../page/html-scan.ts'
import { isExecutable } from '../page/page-text.ts'
import { createSplices } from '../page/splice.ts'
import { decodeAttribute, encodeAttribute, type RawText } from '../page/text-encoding.ts'

/** Where the run-time of guarded and frozen pages lies in the bundle. */
export const runtimePath = '_quire/runtime.js'

/**
 * A finished page whose own scripts start only at its own path at the root of a host, or anywhere on one; elsewhere it works as
 * plain HTML with our run-time. Each script is made inert, and a small one behind it writes it anew while the page is parsed:
 * so order, `defer`, `async`, modules, `document.write` and `document.currentScript` are the browser's own doing, and
 * at the root the document ends up as the site wrote it.
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
  return `<script>(${guard})(${createHome(ownPath)},${toLiteral(relativeReference(path, runtimePath))})</script>`
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
  'function(own,runtime){',
  `var d=document,me=d.currentScript,${homeCheck};`,
  'window.__quire=function(){var call=d.currentScript,it=call.previousElementSibling,html,i,a;call.remove();',
  "if(!atHome||!it||it.type!=='text/quire')return;",
  "for(html='<script',i=0;i<it.attributes.length;i++){a=it.attributes[i];if(a.name==='type')continue;",
  "html+=' '+(a.name==='data-quire-type'?'type':a.name)+'=\"'+a.value.replace(/&/g,'&amp;').replace(/\"/g,'&quot;')+'\"'}",
  "html+='>'+it.text+'<\\/script>';it.remove();d.write(html)};",
  "if(atHome)d.addEventListener('DOMContentLoaded',function(){delete window.__quire});",
  "else d.write('<script src=\"'+runtime+'\" defer><\\/script>');",
  'me.remove()}',
].join('')
