import { writeCodeBlock } from './code-block.ts'
import { find, lineBreak, readFormula, readText, type WritingContext, writeCode, writeInline } from './inline.ts'
import { boxClasses, PageElement, type PageNode } from './page-tree.ts'
import { writeTable } from './tables.ts'
import { type TabLists, takeLabel, writeLabel } from './tabs.ts'

/** The state of the writer of one page. */
export interface BlockContext extends WritingContext {
  tabs: TabLists
}

/** Writes nodes as blocks of Markdown: paragraphs, headings, lists and others. */
export function writeBlocks(nodes: readonly PageNode[], context: BlockContext): string[] {
  const written: string[] = []
  let run: PageNode[] = []
  const endParagraph = () => {
    const text = run.length === 0 ? '' : writeInline(run, context)
    run = []
    if (text !== '') written.push(writeParagraph(text))
  }
  for (const node of nodes) {
    const isBlock = node instanceof PageElement && (node.hasBlock || isDisplayFormula(node)) && node.name !== 'a'
    if (!isBlock) {
      run.push(node)
      // A card is a paragraph.
      if (node instanceof PageElement && node.hasBlock) endParagraph()
      continue
    }
    endParagraph()
    for (const block of writeBlock(node, context)) if (block !== '') written.push(block)
  }
  endParagraph()
  return written
}

function isDisplayFormula(element: PageElement): boolean {
  return readFormula(element)?.isDisplay === true
}

/** Line breaks end with two spaces, and no line begins like a heading, a list or a quotation. */
function writeParagraph(text: string): string {
  return text
    .split(lineBreak)
    .map(line => line.replace(/^(?:#{1,6}|[-+>]|\d{1,9}(?=[.)] ))(?=[\s.)]|$)|^(?=-{3,}$|={3,}$)/, escapeStart))
    .join(`  ${lineBreak}`)
}

function escapeStart(found: string): string {
  return /^\d/.test(found) ? `${found}\\` : `\\${found}`
}

function writeBlock(element: PageElement, context: BlockContext): string[] {
  const formula = readFormula(element)
  if (formula) return [formula.isDisplay ? `$$\n${formula.tex}\n$$` : `$${formula.tex}$`]
  const label = takeLabel(element, context.tabs)
  if (label === 'labels') return []
  const blocks = writeNamed(element, context) ?? writeBlocks(element.children, context)
  return label === null || blocks.length === 0 ? blocks : [writeLabel(label), ...blocks]
}

/** Writes an element that has a form of its own in Markdown; null = it has none. */
function writeNamed(element: PageElement, context: BlockContext): string[] | null {
  const { name, children } = element
  if (/^h[1-6]$/.test(name)) return [writeHeading(element, context)]
  if (name === 'pre') return [writeCodeBlock(element)]
  if (name === 'ul' || name === 'ol' || name === 'menu') return [writeList(element, context)]
  if (name === 'dl') return [writeDefinitions(element, context)]
  if (name === 'table') return writeTable(element, context, (nodes: readonly PageNode[]) => writeBlocks(nodes, context))
  if (name === 'hr') return ['---']
  if (name === 'summary') return [`**${writeInline(children, context).replaceAll('**', '')}**`]
  if (boxClasses.test(element.classes) && /^(div|aside|section|blockquote|details)$/.test(name))
    return writeBox(element, context)
  return name === 'blockquote' ? [quote(writeBlocks(children, context))] : null
}

function writeHeading({ name, children }: PageElement, context: BlockContext): string {
  const text = writeInline(children, context).replaceAll(lineBreak, ' ')
  // A link from a heading to itself.
  const plain = text.replace(/^\[(.*)\]\(#[^()]*\)$/, '$1')
  return plain === '' ? '' : `${'#'.repeat(Number(name[1]))} ${plain}`
}

function quote(blocks: readonly string[]): string {
  return blocks.length === 0 ? '' : blocks.join('\n\n').replace(/^/gm, '> ').replace(/^> $/gm, '>')
}

const titleClasses = /(?:^|[\s_-])(?:title|heading|header|label)|[a-z](?:Title|Heading)(?:$|[\s_-])/

/** Writes a box, such as a warning, as a quotation that begins with its title or its kind. */
function writeBox(element: PageElement, context: BlockContext): string[] {
  const own = element.children.filter(child => child instanceof PageElement || child.trim() !== '')
  const title = find(element, child => titleClasses.test(child.classes) || child.name === 'summary')
  const isFirst = title && isAtStart(title, element)
  const text = isFirst ? writeInline(title.children, context).replaceAll('**', '') : kindOf(element.classes)
  if (isFirst) title.children.length = 0
  const content = writeBlocks(own, context)
  if (content.length === 0 && text === '') return []
  return [quote(text === '' ? content : [`**${text}**`, ...content])]
}

function isAtStart(element: PageElement, box: PageElement): boolean {
  for (let at: PageElement = element; at !== box && at.parent; at = at.parent) {
    const before = at.parent.children.slice(0, at.parent.children.indexOf(at))
    if (before.some(node => (typeof node === 'string' ? node : readText(node)).trim() !== '')) return false
  }
  return true
}

function kindOf(classes: string): string {
  const [, kind = ''] = /(?:^|[\s_-])(note|tip|warning|caution|danger|important|info)(?:$|[\s_-])/i.exec(classes) ?? []
  return kind === '' ? '' : kind[0]?.toUpperCase() + kind.slice(1).toLowerCase()
}

function writeList(list: PageElement, context: BlockContext): string {
  let number = Number(list.get('start') || 1)
  const items = list.children.flatMap(child => {
    if (!(child instanceof PageElement)) return child.trim() === '' ? [] : [child.trim()]
    // A list inside of a list belongs to the item before.
    if (child.name === 'ul' || child.name === 'ol') return [indent(writeList(child, context), '  ')]
    const mark = list.name === 'ol' ? `${Number(child.get('value') || number)}. ` : '- '
    number += 1
    const blocks = writeBlocks(child.name === 'li' ? child.children : [child], context)
    return blocks.length === 0 ? [] : [mark + indent(joinItem(blocks), ' '.repeat(mark.length)).trimStart()]
  })
  return items.join(items.some(item => item.includes('\n\n')) ? '\n\n' : '\n')
}

/** A text and the list below it stand together; other blocks are separated. */
function joinItem(blocks: readonly string[]): string {
  return blocks.length === 2 && /^(?:- |\d+\. )/.test(blocks[1] ?? '') ? blocks.join('\n') : blocks.join('\n\n')
}

function indent(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by)
}

/** Writes a list of definitions as a list of terms, with the definition below each. */
function writeDefinitions(list: PageElement, context: BlockContext): string {
  const items: string[] = []
  let terms: string[] = []
  const add = (blocks: readonly string[]) => {
    const term = terms.join('  \n')
    terms = []
    const isShort =
      blocks.length === 1 && term !== '' && !blocks[0]?.includes('\n') && !/^[-#>|`]/.test(blocks[0] ?? '')
    const text = isShort ? `${term}: ${blocks[0]}` : [term, ...blocks].filter(Boolean).join('\n\n')
    if (text !== '') items.push(`- ${indent(text, '  ').trimStart()}`)
  }
  for (const child of definitionsOf(list)) {
    if (child.name === 'dt') terms.push(writeTerm(child, context))
    else add(writeBlocks(child.children, context))
  }
  if (terms.length > 0) add([])
  return items.join(items.some(item => item.includes('\n\n')) ? '\n\n' : '\n')
}

/** Returns the terms and definitions of a list, also those in groups. */
function definitionsOf({ children }: PageElement): PageElement[] {
  return children.flatMap(child => {
    if (!(child instanceof PageElement)) return []
    return child.name === 'div' ? definitionsOf(child) : [child]
  })
}

/** The signature of a function is code; other terms are bold. */
function writeTerm(term: PageElement, context: BlockContext): string {
  const isSignature = /(?:^|\s)(?:sig|descname|member-signature)(?:$|\s)/.test(term.classes)
  const text = writeInline(term.children, context).replaceAll(lineBreak, ' ')
  if (isSignature)
    return writeCode(
      readText(term)
        .replace(/\[source\]|[¶#]\s*$/g, '')
        .trim(),
    )
  return text === '' || /^(\*\*|`[^`]*`$)/.test(text) ? text : `**${text}**`
}
