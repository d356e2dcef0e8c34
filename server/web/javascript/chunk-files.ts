import { readChunkExpression } from './chunk-expression.ts'

/** Max chunks of one app. Additional chunks are skipped. */
const maxChunks = 20_000
/** Max parts of expressions that are evaluated for all chunks together. */
const maxEvaluated = 10_000_000

/**
 * Finds the chunks of an app in the runtime of its bundler (webpack, rspack). The runtime computes chunk names by a
 * function such as `r.u=e=>"js/"+({7:"menu"}[e]||e)+"."+{7:"c0ffee"}[e]+".js"`. The function is parsed and never executed.
 *
 * @returns the names that the function computes, with the public path as prefix if the script sets one.
 */
export function chunkFiles(text: string): string[] {
  const found = new Set<string>()
  const head = /\.(u|miniCssF)=(?:\(?([\w$]+)\)?=>|function\(([\w$]+)\)\{return )/g
  const publicPath = /\.p="([^"\\]*)"/.exec(text)?.[1] ?? ''
  // An app with one chunk has no map of chunks. The id is in the call that loads the chunk.
  let asked: Set<string> | null = null
  let styled: string[] | null = null
  let room = maxEvaluated
  for (let match = head.exec(text); match; match = head.exec(text)) {
    const { expression, end } = readChunkExpression(text, head.lastIndex, match[2] ?? match[3] ?? '')
    head.lastIndex = Math.max(head.lastIndex, end)
    if (!expression) continue
    if (match[1] === 'u') asked ??= askedChunks(text)
    else styled ??= styledChunks(text)
    const others = (match[1] === 'u' ? asked : styled) ?? []
    for (const id of expression.ids.size > 0 ? expression.ids : others) {
      room -= expression.size
      if (room < 0) return [...found]
      const name = expression.evaluate(id)
      if (name && /^[\w@~%+.,/-]+\.(?:m?js|css)$/.test(name)) found.add(publicPath + name)
      if (found.size >= maxChunks) return [...found]
    }
  }
  return [...found]
}

/**
 * Returns the full variant of a lean script: VitePress pages load `x.md.lean.js`, and links to the same page load
 * `x.md.js`.
 */
export function fullTwin(script: URL): string | null {
  return /\/([^/]+)\.lean\.js$/.exec(script.pathname)?.[1]?.replace(/$/, '.js').replace(/^/, './') ?? null
}

function askedChunks(text: string): Set<string> {
  const single = Array.from(text.matchAll(/\.e\(["']?([\w-]+)["']?\)/g), ([, id = '']) => id)
  const listed = Array.from(text.matchAll(/\.O\(void 0,\[([\d,]+)\]/g), ([, ids = '']) => ids.split(','))
  return new Set([...single, ...listed.flat()])
}

/** Max characters between the function that loads style sheets and its map of chunks, and max length of the map. */
const maxStyledDistance = 400
const maxMapLength = 512 * 1024
/** Max characters of all maps of a script that are tried. */
const maxTriedLength = 4 * maxMapLength

/** Finds chunks with a style sheet: `r.f.miniCss=(e,t)=>{...{58:1}[e]&&t.push(`. */
function styledChunks(text: string): string[] {
  let close = 0
  let tried = 0
  for (const { 0: mark, index } of text.matchAll(/\.f\.miniCss=/g)) {
    const end = index + mark.length + maxStyledDistance
    for (let open = text.indexOf('{', index); open !== -1 && open <= end; open = text.indexOf('{', open + 1)) {
      if (close !== -1 && close < open) close = text.indexOf('}', open)
      if (close === -1) return []
      if (close - open > maxMapLength || !/^\}\)?\[/.test(text.slice(close, close + 3))) continue
      tried += close - open
      if (tried > maxTriedLength) return []
      const ids = text
        .slice(open + 1, close)
        .replace(/,$/, '')
        .split(',')
        .map(styledId)
      if (ids.every(id => id !== undefined)) return ids
    }
  }
  return []
}

function styledId(entry: string): string | undefined {
  return /^["']?([\w-]+)["']?:1$/.exec(entry)?.[1]
}
