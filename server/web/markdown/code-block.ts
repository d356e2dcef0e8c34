import { lineBreak, readText } from './inline.ts'
import { PageElement } from './page-tree.ts'

/** Numbers of lines, buttons and names that stand in a block of code. */
const noCode =
  /(?:^|\s)(?:linenos?|line-?numbers?|lineno|lnt?|gutter|boring|hljs-ln-numbers|react-syntax-highlighter-line-number|copy|expressive-code-copy)(?:$|\s)/

/** Writes a block of code between fences, with its language. A block that shows variants in several languages becomes several. */
export function writeCodeBlock(pre: PageElement): string {
  const variants = pre.children.filter(
    child => child instanceof PageElement && languageOf(child) !== '',
  ) as PageElement[]
  return (variants.length > 1 ? variants : [pre]).map(writeCodeOf).join('\n\n')
}

function writeCodeOf(pre: PageElement): string {
  const text = readLines(pre).replace(/^\n+/, '').trimEnd()
  if (text === '') return ''
  const runs = text.match(/^[ \t]*`{3,}/gm) ?? []
  const fence = '`'.repeat(Math.max(3, ...runs.map(run => run.trim().length + 1)))
  return `${fence}${findLanguage(pre)}\n${text}\n${fence}`
}

/** Returns the text of code. Elements that begin a line separate lines. */
function readLines(element: PageElement): string {
  let text = ''
  for (const child of element.children) {
    if (typeof child === 'string') text += child.replace(/\r\n?/g, lineBreak)
    else if (child.name === 'br') text += lineBreak
    else if (!noCode.test(child.classes)) {
      const isLine = /^(div|li|tr|p)$/.test(child.name)
      if (isLine && text !== '' && !text.endsWith(lineBreak)) text += lineBreak
      text += readLines(child)
      if (isLine && !text.endsWith(lineBreak)) text += lineBreak
    }
  }
  return text
}

const named = /(?:^|\s)(?:language-|lang-|highlight-(?:source-)?|brush:\s*|src-)([\w+#.-]+)/i
const unnamed = /^(?:default|none|text|txt|plain|plaintext|notranslate|nohighlight|undefined|null)$/i

/** Returns the language of a block of code, as highlighters name it on the block, in it, or around it; '' = unknown. */
function findLanguage(pre: PageElement): string {
  const code = pre.children.find(child => child instanceof PageElement && child.name === 'code')
  let around: PageElement | null = pre
  for (let level = 0; around && level < 4; level += 1) {
    for (const element of level === 0 && code instanceof PageElement ? [code, pre] : [around]) {
      const language = languageOf(element)
      if (language !== '') return unnamed.test(language) ? '' : language.toLowerCase()
    }
    around = around.parent
  }
  return ''
}

function languageOf(element: PageElement): string {
  const given = element.get('data-lang') || element.get('data-language') || element.get('data-code-lang')
  if (/^[\w+#.-]+$/.test(given)) return given
  // rustdoc.
  if (/^rust(?:\s|$)/.test(element.classes)) return 'rust'
  const [, name = '', other = ''] =
    named.exec(element.classes) ?? /^(sourceCode) ([\w+#-]+)/.exec(element.classes) ?? []
  return name === 'sourceCode' ? other : name
}

/** Returns the block of code that a table with numbers of lines shows; null = the table is another one. */
export function findNumberedCode(table: PageElement): PageElement | null {
  if (!/(?:^|\s)(?:highlighttable|rouge-table|lntable|hljs-ln)(?:$|\s)/.test(table.classes)) return null
  let last: PageElement | null = null
  const look = (element: PageElement) => {
    for (const child of element.children) {
      if (!(child instanceof PageElement) || noCode.test(child.classes)) continue
      if (child.name === 'pre') last = child
      look(child)
    }
  }
  look(table)
  return last
}

/** Returns the text of code in a cell of a table, one line of code each. */
export function readCodeLines(pre: PageElement): string[] {
  return (pre.name === 'pre' ? readLines(pre) : readText(pre)).split(lineBreak).filter(line => line.trim() !== '')
}
