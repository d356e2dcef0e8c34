import { type Attribute, findAttribute, type Tag } from '../../web/html/html-scan.ts'
import { refreshTarget } from '../../web/html/page-links.ts'
import { replaceSrcset } from '../../web/html/srcset.ts'
import { type UrlRole, urlAttributes } from '../../web/html/url-attributes.ts'
import type { Change } from './change-address.ts'
import type { AttributeEditor } from './edit-attributes.ts'
import { rewriteCss } from './rewrite-stylesheet.ts'

/** The functions that rewrite the attributes of one page. */
export interface AttributeRewriting {
  editor: AttributeEditor
  change(address: string, role: UrlRole): Change
  /** Rewrites the page in a frame's srcdoc; null when frames are nested too deeply. */
  rewriteInner(html: string): string | null
}

/** Replaces the addresses in the attributes of a tag. */
export function rewriteAttributes(tag: Tag, rewriting: AttributeRewriting): void {
  for (const { attribute, role, syntax } of urlAttributes(tag, rewriting.editor.value)) {
    if (syntax === 'url') rewriteUrl(tag, attribute, role, rewriting)
    else if (syntax === 'srcset') rewriteSrcset(attribute, role, rewriting)
    else if (syntax === 'css') rewriteStyle(attribute, rewriting)
    else if (syntax === 'page') rewriteFrame(attribute, rewriting)
    else rewriteRefresh(attribute, role, rewriting)
  }
}

function rewriteUrl(tag: Tag, attribute: Attribute, role: UrlRole, { editor, change }: AttributeRewriting): void {
  const result = change(editor.value(attribute), role)
  const as = findAttribute(tag, 'as')
  // A preload only saves time, and it causes an error on file://. The bundle contains the file itself.
  if (tag.name === 'link' && as && /^fetch$/i.test(editor.value(as))) {
    editor.disable(attribute, 'removed')
    return
  }
  if (result && 'to' in result) editor.write(attribute, result.to)
  if (result && 'drop' in result) {
    editor.disable(attribute, result.drop)
    if (result.drop === 'dead' && (tag.name === 'a' || tag.name === 'area')) editor.markDead(tag)
  }
  const loads = role === 'script' || role === 'stylesheet' || (role === 'asset' && tag.name !== 'meta')
  if (!loads) return
  // Rewriting may change the bytes, and file:// has no origins. Both attributes would therefore block the file.
  editor.remove(findAttribute(tag, 'integrity'))
  // Browsers always fetch fonts as cross-origin. A preload without the attribute would cause a second request.
  if (!as || !/^font$/i.test(editor.value(as))) editor.remove(findAttribute(tag, 'crossorigin'))
}

function rewriteSrcset(attribute: Attribute, role: UrlRole, { editor, change }: AttributeRewriting): void {
  const old = editor.value(attribute)
  const now = replaceSrcset(old, url => {
    const result = change(url, role)
    if (!result) return url
    return 'to' in result ? result.to : null
  })
  if (now === '') editor.disable(attribute, 'missing')
  else if (now !== old) editor.write(attribute, now)
}

function rewriteStyle(attribute: Attribute, { editor, change }: AttributeRewriting): void {
  const old = editor.value(attribute)
  const now = rewriteCss(old, change)
  if (now !== old) editor.write(attribute, now)
}

function rewriteFrame(attribute: Attribute, { editor, rewriteInner }: AttributeRewriting): void {
  const inner = rewriteInner(editor.value(attribute))
  if (inner === null) editor.disable(attribute, 'removed')
  else editor.write(attribute, inner)
}

/** Rewrites the content of `<meta http-equiv="refresh">`. */
function rewriteRefresh(attribute: Attribute, role: UrlRole, { editor, change }: AttributeRewriting): void {
  const old = editor.value(attribute)
  const target = refreshTarget(old)
  if (!target) return
  const result = change(target.url, role)
  // A redirect in a page may only lead to another page of the bundle.
  if (result && 'to' in result && !/^https?:/i.test(result.to)) {
    editor.write(attribute, old.slice(0, target.start) + result.to + old.slice(target.start + target.url.length))
  } else if (result || /^https?:/i.test(target.url)) editor.disable(attribute, 'removed')
}
