/**
 * Extensions of files that scripts load. Pages are found as links. Markdown is excluded, because apps render pages from it.
 */
const extensions = 'avif|bin|css|gif|ico|jpe?g|js|json|mjs|mp[34]|ogg|otf|png|svg|ttf|txt|wasm|webm|webp|woff2?|xml|zip'

const literal = new RegExp(
  `(["'\`])((?:\\.{1,2}/|/)?[\\w@~%+.,-]+(?:/[\\w@~%+.,-]+)*\\.(?:${extensions}))(?:\\?[\\w=&.%-]*)?\\1`,
  'gi',
)

/** Max length of the name of a file or folder; file systems refuse longer ones. */
const maxNameLength = 255

/** The beginning of text that an app shows, because documentation mentions many file names that are not files of the site. */
const shownText = /\bchildren["']?\s*:\s*(["'`])/g

/** Max files per script. A script with more file names is a table of names, not a program that loads files. */
const maxFiles = 300

/** Returns the distinct string literals of a script that look like file names. Some of these files do not exist. */
export function scriptFiles(text: string): string[] {
  const found = new Set<string>()
  // A placeholder before the extension, as in `search-index{dir}.json`, is usually empty.
  const filled = withoutShownText(text).replace(/\{\w{1,20}\}(?=\.[a-z]+[?"'`])/g, '')
  for (const [, , name = ''] of filled.matchAll(literal)) {
    // A name that begins with @ or ~ is a module, or a folder on the machine that built the site.
    if (/^[\d.]+$|^[@~]/.test(name) || name.includes('..', 3)) continue
    // Such as the words of a language, joined by periods, for a highlighter.
    if (name.length > maxNameLength && name.split('/').some(part => part.length > maxNameLength)) continue
    found.add(name)
    if (found.size >= maxFiles) break
  }
  return [...found]
}

/** Removes the text that an app shows. An expression would need a stack for the characters of a long text. */
function withoutShownText(text: string): string {
  const parts: string[] = []
  let at = 0
  shownText.lastIndex = 0
  for (let match = shownText.exec(text); match; match = shownText.exec(text)) {
    const end = endOfLiteral(text, shownText.lastIndex, match[1] ?? '')
    if (end === -1) continue
    parts.push(text.slice(at, match.index))
    at = end
    shownText.lastIndex = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** Returns the position after the quote that ends a string or template; -1 when a line ends before it. */
function endOfLiteral(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at]
    if (sign === quote) return at + 1
    if (sign === '\n' && quote !== '`') return -1
    if (sign !== '\\') continue
    at += 1
    if (/[\n\r\u2028\u2029]/.test(text.charAt(at))) return -1
  }
  return -1
}

/**
 * Returns the possible addresses of a file named in a script, most likely first: below the site's root, next to the page,
 * next to the script.
 *
 * @param near the address of the script, or of the page with the inline script.
 */
export function placesOf(name: string, siteRoot: URL, near: URL): URL[] {
  const bases = name.startsWith('/') ? [near] : name.startsWith('.') ? [near, siteRoot] : [siteRoot, near]
  const places = new Map<string, URL>()
  for (const base of bases) {
    const url = URL.parse(name, base)
    if (url) places.set(url.href, url)
  }
  return [...places.values()]
}
