import { readChunkExpression } from './chunk-expression.ts'

/** Max chunks of one app. Additional chunks are skipped. */
const maxChunks = 20_000

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
  for (const match of text.matchAll(head)) {
    const expression = readChunkExpression(text.slice(match.index + match[0].length), match[2] ?? match[3] ?? '')
    // An app with one chunk has no map of chunks. The id is in the call that loads the chunk.
    const asked = match[1] === 'u' ? askedChunks : styledChunks
    for (const id of expression?.ids.size ? expression.ids : asked(text)) {
      const name = expression?.evaluate(id)
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

/** Finds chunks with a style sheet: `r.f.miniCss=(e,t)=>{...{58:1}[e]&&t.push(`. */
function styledChunks(text: string): string[] {
  const map = /\.f\.miniCss=[\s\S]{0,400}?\{((?:["']?[\w-]+["']?:1,?)+)\}\)?\[/.exec(text)?.[1] ?? ''
  return Array.from(map.matchAll(/([\w-]+)["']?:1/g), ([, id = '']) => id)
}
