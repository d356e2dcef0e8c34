import { type Attribute, findAttribute, type Tag } from './html-scan.ts'

/**
 * The purpose of the URL in an attribute.
 * - link: a person may follow it; frame: the page shows another page; asset: the page needs the file
 * - script, stylesheet: assets that are parsed or may be removed
 * - form: the target of a form
 * - hint: only prepares a connection or a later visit; reference: metadata that loads nothing
 * - refused: would cause a request that a bundle never needs (ping, appcache)
 */
export type UrlRole = 'link' | 'frame' | 'asset' | 'script' | 'stylesheet' | 'form' | 'hint' | 'reference' | 'refused'

export interface UrlAttribute {
  attribute: Attribute
  role: UrlRole
  /** `page` = the value is the HTML of a page, relative to the current page. */
  syntax: 'url' | 'srcset' | 'css' | 'refresh' | 'page'
}

const imageMeta =
  /^(og|twitter):(image|video|audio)(:(secure_url|url|src))?$|^(msapplication-(tileimage|square\d+x\d+logo|wide310x150logo)|thumbnail)$/

/**
 * Returns the attributes of a tag that contain addresses of files or pages.
 *
 * @param value returns an attribute's decoded value.
 */
export function urlAttributes(tag: Tag, value: (attribute: Attribute) => string): UrlAttribute[] {
  // Several handlers read a page in one scan, so the same tag is requested several times in a row.
  if (tag !== lastTag) {
    lastFound = possibleNames.test(tag.source) ? findUrlAttributes(tag, value) : []
    lastTag = tag
  }
  return lastFound
}

/** Matches every tag that has one of the attributes below. Most tags do not match and are skipped. */
const possibleNames = /href|src|style|action|data|poster|background|content|ping|manifest/i

let lastTag: Tag | null = null
let lastFound: UrlAttribute[] = []

function findUrlAttributes(tag: Tag, value: (attribute: Attribute) => string): UrlAttribute[] {
  const found: UrlAttribute[] = []
  for (const attribute of tag.attributes) {
    const use = useOf(tag, attribute, value)
    if (use) found.push({ attribute, ...use })
  }
  return found
}

/** Elements that load lazily: a script copies the address from a data attribute to the standard attribute. */
const lazyElements = new Set(['img', 'source', 'video', 'audio', 'embed'])

/** Decides whether a value is the address of a file, as opposed to a colour, a number or a word. */
function namesFile(value: string): boolean {
  const text = value.trim()
  return /[/.]\w/.test(text) && !/\s|^[[{]|^[\w-]*\(|^[\d.]+\w{0,3}$/.test(text)
}

type Use = Omit<UrlAttribute, 'attribute'>

const asset: Use = { role: 'asset', syntax: 'url' }
const link: Use = { role: 'link', syntax: 'url' }

function useOf(tag: Tag, attribute: Attribute, value: (attribute: Attribute) => string): Use | null {
  const of = (name: string) => {
    const other = findAttribute(tag, name)
    return other ? value(other).toLowerCase() : ''
  }
  switch (attribute.name) {
    case 'href':
      if (tag.name === 'a' || tag.name === 'area') return link
      if (tag.name === 'link') return useOfLink(of('rel'), of('type'), of('as'))
      if (tag.name === 'script') return { role: 'script', syntax: 'url' }
      return isSvgLoader(tag.name) ? asset : null
    case 'xlink:href':
      if (tag.name === 'a') return link
      if (tag.name === 'script') return { role: 'script', syntax: 'url' }
      return isSvgLoader(tag.name) ? asset : null
    case 'src':
      if (tag.name === 'script') return { role: 'script', syntax: 'url' }
      return { role: tag.name === 'iframe' || tag.name === 'frame' ? 'frame' : 'asset', syntax: 'url' }
    case 'data':
      return tag.name === 'object' ? { role: 'frame', syntax: 'url' } : null
    case 'srcdoc':
      return tag.name === 'iframe' ? { role: 'frame', syntax: 'page' } : null
    case 'srcset':
    case 'imagesrcset':
    case 'data-srcset':
    case 'data-lazy-srcset':
      return { role: 'asset', syntax: 'srcset' }
    case 'poster':
    case 'data-poster':
    case 'background':
      return asset
    case 'data-src':
    case 'data-lazy-src':
      return tag.name === 'iframe' ? { role: 'frame', syntax: 'url' } : asset
    case 'data-lazy':
    case 'data-original':
      // Other values are possible too, such as a flag.
      return lazyElements.has(tag.name) && namesFile(of(attribute.name)) ? asset : null
    case 'data-bg':
    case 'data-background':
    case 'data-background-image':
      if (/url\(/i.test(of(attribute.name))) return { role: 'asset', syntax: 'css' }
      return namesFile(of(attribute.name)) ? asset : null
    case 'style':
      return { role: 'asset', syntax: 'css' }
    case 'action':
    case 'formaction':
      return { role: 'form', syntax: 'url' }
    case 'content':
      if (tag.name !== 'meta') return null
      if (of('http-equiv') === 'refresh') return { role: 'link', syntax: 'refresh' }
      return imageMeta.test(of('property') || of('name')) || of('itemprop') === 'image' ? asset : null
    case 'ping':
      return { role: 'refused', syntax: 'url' }
    case 'manifest':
      return tag.name === 'html' ? { role: 'refused', syntax: 'url' } : null
    default:
      return null
  }
}

function isSvgLoader(name: string): boolean {
  return name === 'image' || name === 'use' || name === 'feimage' || name === 'mpath' || name.endsWith('gradient')
}

function useOfLink(rel: string, type: string, as: string): Use | null {
  const rels = rel.split(/\s+/)
  const has = (...names: string[]) => names.some(name => rels.includes(name))
  if (has('stylesheet') || (has('preload') && as === 'style')) return { role: 'stylesheet', syntax: 'url' }
  // A style sheet also loads the font. Without `crossorigin`, the font would be loaded twice, and not at all on file://.
  if (has('preload') && as === 'font') return { role: 'hint', syntax: 'url' }
  if (has('modulepreload') || (has('preload', 'prefetch') && as === 'script')) return { role: 'script', syntax: 'url' }
  if (
    has(
      'icon',
      'apple-touch-icon',
      'apple-touch-icon-precomposed',
      'apple-touch-startup-image',
      'mask-icon',
      'fluid-icon',
    )
  ) {
    return asset
  }
  if (has('manifest', 'preload', 'image_src')) return asset
  if (has('dns-prefetch', 'preconnect', 'prerender', 'prefetch', 'pingback', 'import'))
    return { role: 'hint', syntax: 'url' }
  if (has('canonical', 'shortlink', 'amphtml', 'me', 'edituri', 'wlwmanifest'))
    return { role: 'reference', syntax: 'url' }
  if (has('alternate') && /json|oembed/.test(type)) return { role: 'reference', syntax: 'url' }
  return link
}
