import { PageElement, type PageNode, toLine } from './page-tree.ts'

/** What the writer of a page needs besides its content. */
export interface WritingContext {
  /** Returns the address that a link or a picture has in the Markdown; null = there is none, and only the text stays. */
  address(href: string): string | null
}

/** A line break within a text. Other white space has become spaces. */
export const lineBreak = '\n'

const codeNames = new Set(['code', 'kbd', 'samp', 'tt'])
const marks: Readonly<Record<string, string>> = {
  ...{ strong: '**', b: '**', em: '*', i: '*', dfn: '*', var: '*', cite: '*' },
  ...{ del: '~~', s: '~~', strike: '~~' },
}
/** Elements whose content means something else without them. */
const kept = new Set(['sub', 'sup'])

/** Writes nodes as a text of Markdown, without white space around it. Elements that begin a new line are separated by a space. */
export function writeInline(nodes: readonly PageNode[], context: WritingContext): string {
  const text = writeNodes(nodes, context)
  const single = /\s\s|[^\S\n ]/.test(text) ? text.replace(/[^\S\n]+/g, ' ').replace(/ ?\n[ \n]*/g, lineBreak) : text
  return single.trim()
}

function writeElement(element: PageElement, context: WritingContext): string {
  const { name, children } = element
  if (name === 'br') return lineBreak
  const formula = readFormula(element)
  if (formula) return formula.isDisplay ? ` $$${formula.tex}$$ ` : `$${formula.tex}$`
  if (name === 'img') return writePicture(element, context)
  if (name === 'input')
    return element.get('type') === 'checkbox' && element.parent && isInItem(element) ? checkbox(element) : ''
  if (codeNames.has(name)) return writeCode(readText(element))
  if (name === 'a') return writeLink(element, context)
  const inner = writeNodes(children, context)
  const mark = marks[name]
  if (mark !== undefined) return wrap(inner, mark)
  if (kept.has(name) && inner.trim() !== '') return `<${name}>${inner.trim()}</${name}>`
  if (name === 'q') return `“${inner}”`
  return element.hasBlock && children.length > 0 ? ` ${inner} ` : inner
}

/** Keeps the spaces at both ends, which separate words. */
function writeNodes(nodes: readonly PageNode[], context: WritingContext): string {
  let text = ''
  for (const node of nodes) {
    const next = typeof node === 'string' ? escapeText(node) : writeElement(node, context)
    // An exclamation mark before a link would make it a picture.
    text = next.startsWith('[') && text.endsWith('!') ? `${text.slice(0, -1)}\\!${next}` : text + next
  }
  return text
}

function isInItem({ parent }: PageElement): boolean {
  return parent !== null && (parent.name === 'li' || (/^(label|p|span)$/.test(parent.name) && isInItem(parent)))
}

function checkbox(element: PageElement): string {
  return element.has('checked') ? '[x] ' : '[ ] '
}

/** Puts marks around a text, inside of the spaces around it. */
function wrap(text: string, mark: string): string {
  const inner = text.trim()
  if (inner === '' || inner.startsWith(mark)) return text
  const from = text.indexOf(inner)
  return `${text.slice(0, from)}${mark}${inner}${mark}${text.slice(from + inner.length)}`
}

/** Writes a text as code within a line. */
export function writeCode(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  if (line.trim() === '') return ''
  const runs = line.match(/`+/g) ?? []
  const fence = '`'.repeat(runs.length === 0 ? 1 : Math.max(...runs.map(run => run.length)) + 1)
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${fence}${space}${line}${space}${fence}`
}

/** Text of links that only show the address of a heading: signs, icons, or nothing. */
const sign = /^[\s¶#§🔗\u200b\ue000-\uf8ff]*$/u
const signClasses =
  /(?:^|[\s_-])(?:headerlink|hash-?link|header-?anchor|anchor-?link|heading-?anchor|permalink|anchorjs-link|anchor)(?:$|[\s_-])/i

/** Decides whether a link only gives readers the address of the heading that it stands in. */
function isSign(element: PageElement, inner: string): boolean {
  if (sign.test(inner)) return true
  const heading = element.parent
  const others = heading?.children.some(
    child => child !== element && (typeof child !== 'string' || child.trim() !== ''),
  )
  return signClasses.test(element.classes) && others === true
}

function writeLink(element: PageElement, context: WritingContext): string {
  const href = element.get('href')
  const inner = writeNodes(element.children, context)
  if (href === '') return inner
  if (href.startsWith('#') && isSign(element, inner)) return ''
  // A card: a link around a heading and a text.
  const text = inner.replace(/\s+/g, ' ').trim()
  if (text === '') return ''
  const address = context.address(href)
  if (address === null) return inner
  const [before, after] = [/^\s/.test(inner) ? ' ' : '', /\s$/.test(inner) ? ' ' : '']
  return `${before}[${text}](${writeAddress(address)})${after}`
}

function writePicture(element: PageElement, context: WritingContext): string {
  const alt = toLine(element.get('alt'))
  const source = element.get('src')
  const address = source === '' || source.startsWith('data:') ? null : context.address(source)
  if (address === null) return alt === '' ? '' : escapeText(alt)
  return `![${escapeText(alt)}](${writeAddress(address)})`
}

function writeAddress(address: string): string {
  return address.replace(/[\s<>()]/g, character =>
    encodeURIComponent(character).replace('(', '%28').replace(')', '%29'),
  )
}

/** Escapes what Markdown would read as markup. Within words, most signs are text. */
export function escapeText(text: string): string {
  if (!/[\\`*_<[\]~\u200b\ufeff\u00ad]|[^\S ]/.test(text)) return text
  return text
    .replace(/[\u200b\ufeff\u00ad]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '\\\\')
    .replace(/[`*]|~~|(?<![\p{L}\p{N}])_|<(?=[a-z/!?])|\[(?=[^[\]]*\][([:])/giu, '\\$&')
}

/** Returns the text of an element as it is, with the line breaks of its elements. */
export function readText(element: PageElement): string {
  return element.children
    .map(child => (typeof child === 'string' ? child : child.name === 'br' ? '\n' : readText(child)))
    .join('')
}

/** A formula in TeX. */
export interface Formula {
  tex: string
  isDisplay: boolean
}

const formulaClasses = /(?:^|\s)(?:math|arithmatex|katex(?:-display)?|mwe-math-element)(?:$|\s)/

/** Returns the formula that an element shows, as MathJax, KaTeX and pictures of formulas write it; null = it shows none. */
export function readFormula(element: PageElement): Formula | null {
  const { name, classes } = element
  if (name === 'math') return fromMathMl(element)
  if (name === 'img' && /(?:^|\s)(?:math|mwe-math-fallback-image)/.test(classes) && element.get('alt') !== '')
    return { tex: toLine(element.get('alt')), isDisplay: false }
  if (name !== 'quire-math' && name !== 'mjx-container' && !formulaClasses.test(classes)) return null
  const math = find(element, child => child.name === 'math')
  if (math) {
    const isDisplay = classes.includes('katex-display') || element.get('display') === 'true'
    const formula = fromMathMl(math)
    return { ...formula, isDisplay: isDisplay || formula.isDisplay }
  }
  const written = readText(element).trim()
  const signs = formulaSigns.find(([open, close]) => written.startsWith(open) && written.endsWith(close))
  if (!signs) return null
  const [open, close] = signs
  const tex = toLine(written.slice(open.length, -close.length))
  return tex === '' ? null : { tex, isDisplay: open !== '\\(' }
}

const formulaSigns = [
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['$$', '$$'],
] as const

function fromMathMl(math: PageElement): Formula {
  const source = find(math, ({ name }) => name === 'annotation')
  const tex = source ? readText(source) : math.get('alttext') || readText(math)
  return { tex: toLine(tex), isDisplay: math.get('display') === 'block' }
}

/** Returns the first element below an element for which `isWanted` returns true. */
export function find(element: PageElement, isWanted: (element: PageElement) => boolean): PageElement | null {
  for (const child of element.children) {
    if (!(child instanceof PageElement)) continue
    const found = isWanted(child) ? child : find(child, isWanted)
    if (found) return found
  }
  return null
}
