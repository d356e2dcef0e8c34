import { findNumberedCode, readCodeLines, writeCodeBlock } from './code-block.ts'
import { find, lineBreak, type WritingContext, writeCode, writeInline } from './inline.ts'
import { PageElement, type PageNode } from './page-tree.ts'

interface Row {
  cells: PageElement[]
  isHead: boolean
}

/** More columns would be a picture, not a table. */
const maxColumns = 100

/** Writes a table of GitHub's Markdown. A table that only places its content is written as blocks. */
export function writeTable(
  table: PageElement,
  context: WritingContext,
  writeBlocks: (nodes: readonly PageNode[]) => string[],
): string[] {
  const code = findNumberedCode(table)
  if (code) return [writeCodeBlock(code)]
  const caption = table.children.find(child => child instanceof PageElement && child.name === 'caption')
  const title = caption instanceof PageElement ? writeBlocks(caption.children) : []
  const rows = rowsOf(table, false)
  const columns = Math.max(0, ...rows.map(({ cells }) => cells.length))
  const isLayout = table.get('role') === 'presentation' || columns <= 1 || rows.some(row => row.cells.some(holdsTable))
  if (isLayout) return [...title, ...rows.flatMap(({ cells }) => cells.flatMap(cell => writeBlocks(cell.children)))]
  return [...title, writeRows(rows, context)]
}

function holdsTable(cell: PageElement): boolean {
  return find(cell, ({ name }) => name === 'table') !== null
}

function rowsOf(element: PageElement, isHead: boolean): Row[] {
  return element.children.flatMap((child): Row[] => {
    if (!(child instanceof PageElement)) return []
    if (child.name === 'tr') {
      const cells = child.children.filter(
        each => each instanceof PageElement && /^t[dh]$/.test(each.name),
      ) as PageElement[]
      return cells.length === 0 ? [] : [{ cells, isHead }]
    }
    return /^(thead|tbody|tfoot)$/.test(child.name) ? rowsOf(child, child.name === 'thead') : []
  })
}

function writeRows(rows: readonly Row[], context: WritingContext): string {
  const written = placeCells(rows, cell => writeCell(cell, context))
  const columns = Math.max(...written.map(row => row.length))
  const [first] = rows
  const hasHead = first !== undefined && (first.isHead || first.cells.every(({ name }) => name === 'th'))
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, at) => cells[at] ?? '').join(' | ')} |`
  const head = hasHead ? (written.shift() ?? []) : []
  return [line(head), `|${' --- |'.repeat(columns)}`, ...written.map(line)].join('\n')
}

/** Gives each cell its column. Cells that span rows or columns leave empty cells. */
function placeCells(rows: readonly Row[], write: (cell: PageElement) => string): string[][] {
  /** For each column, the rows below that a cell still covers. */
  const covered: number[] = []
  return rows.map(({ cells }) => {
    const row: string[] = []
    const skipCovered = () => {
      while ((covered[row.length] ?? 0) > 0) {
        covered[row.length] = (covered[row.length] ?? 0) - 1
        row.push('')
      }
    }
    for (const cell of cells) {
      skipCovered()
      const [width, height] = [spanOf(cell, 'colspan'), spanOf(cell, 'rowspan')]
      for (let at = 0; at < width && row.length < maxColumns; at += 1) {
        covered[row.length] = height - 1
        row.push(at === 0 ? write(cell) : '')
      }
    }
    skipCovered()
    return row
  })
}

function spanOf(cell: PageElement, name: 'colspan' | 'rowspan'): number {
  const span = Number.parseInt(cell.get(name), 10)
  return Number.isNaN(span) ? 1 : Math.min(Math.max(1, span), maxColumns)
}

/** Writes a cell on one line. Its paragraphs, items and lines of code are separated by line breaks of HTML. */
function writeCell(cell: PageElement, context: WritingContext): string {
  const lines: string[] = []
  let run: PageNode[] = []
  const end = () => {
    const text = writeInline(run, context)
    run = []
    if (text !== '') lines.push(...text.split(lineBreak))
  }
  const add = (nodes: readonly PageNode[]) => {
    for (const node of nodes) {
      if (!(node instanceof PageElement) || !node.hasBlock || node.name === 'a') {
        run.push(node)
        continue
      }
      end()
      if (node.name === 'pre') lines.push(...readCodeLines(node).map(writeCode))
      else if (node.name === 'li') {
        const from = lines.length
        add(node.children)
        end()
        if (lines[from] !== undefined) lines[from] = `- ${lines[from]}`
      } else add(node.children)
      end()
    }
  }
  add(cell.children)
  end()
  return lines.join('<br>').replaceAll('|', '\\|')
}
