/** Extensions of files that scripts load; pages are found as links, and Markdown is what apps render pages from. */
const extensions = 'avif|bin|css|gif|ico|jpe?g|js|json|mjs|mp[34]|ogg|otf|png|svg|ttf|txt|wasm|webm|webp|woff2?|xml|zip'

const literal = new RegExp(
  `(["'\`])((?:\\.{1,2}/|/)?[\\w@~%+.,-]+(?:/[\\w@~%+.,-]+)*\\.(?:${extensions}))(?:\\?[\\w=&.%-]*)?\\1`,
  'gi',
)

/** What an app shows a reader: pages about programs are full of names of files that are none of the site's. */
const shownText = /\bchildren["']?\s*:\s*(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/g

/** A script that names more files than this is a table of names, not a program that loads them. */
const maxFiles = 300

/** The string literals of a script that name a file, each once. A guess: what turns out not to be there was none. */
export function scriptFiles(text: string): string[] {
  const found = new Set<string>()
  // A placeholder before the extension, as in `search-index{dir}.json`, stands for nothing in most cases.
  const filled = text.replace(shownText, '').replace(/\{\w{1,20}\}(?=\.[a-z]+[?"'`])/g, '')
  for (const [, , name = ''] of filled.matchAll(literal)) {
    // A name that begins with @ or ~ stands for a module or a folder where the site was built.
    if (/^[\d.]+$|^[@~]/.test(name) || name.includes('..', 3)) continue
    found.add(name)
    if (found.size >= maxFiles) break
  }
  return [...found]
}

/**
 * Where a script could mean such a file to be, most likely first: below the site's root, beside the page, beside itself.
 *
 * @param near the script's own address, or that of the page it stands in.
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
