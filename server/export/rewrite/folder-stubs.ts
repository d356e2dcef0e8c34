import { foldName, safeSegment } from './file-name.ts'
import { getsExtension } from './layout.ts'
import type { Redirect } from './redirect-page.ts'

/**
 * The index file of a folder that stands for a page. Common hosts show it for a folder without index.html. Hosts that guess
 * `.html` show the page: some of them would prefer an index.html, which would then redirect to itself forever.
 */
const stubName = 'index.htm'

/**
 * Plans a redirect at a/b/index.htm for each page `/a/b` at a/b.html. A host that guesses no extension leads from `/a/b` to
 * the folder `/a/b/`. Readers come to such addresses by reloading a page that a script showed, by typing, and from links of
 * other sites.
 *
 * @param pages addresses of pages, and the bundle paths of these pages.
 * @param paths all paths of the bundle.
 */
export function planFolderStubs(pages: Iterable<{ url: URL; path: string }>, paths: Iterable<string>): Redirect[] {
  const files = new Set<string>()
  // Folders by folded name. A stub must not get into a folder whose name differs only in case.
  const folders = new Map<string, string>()
  for (const path of paths) {
    files.add(foldName(path))
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (folders.has(foldName(folder))) break
      folders.set(foldName(folder), folder)
    }
  }
  const stubs = new Map<string, Redirect>()
  for (const { url, path } of pages) {
    const folder = path.replace(/\.x?html?$/i, '')
    // A page with another name than its own is not at its own address on any host.
    if (!getsExtension(url) || url.search !== '' || folder.slice(folder.lastIndexOf('/') + 1) !== folderName(url))
      continue
    const folded = foldName(folder)
    const isTaken = files.has(folded) || (folders.get(folded) ?? folder) !== folder
    const isFolderPage = ['index.html', 'index.htm', 'index.xhtml'].some(name => files.has(`${folded}/${name}`))
    if (!isTaken && !isFolderPage) stubs.set(folder, { path: `${folder}/${stubName}`, to: path })
  }
  return [...stubs.values()]
}

/** Returns the name of the folder of a page. It differs from the name of the page if file systems could refuse it. */
function folderName({ pathname }: URL): string {
  return safeSegment(pathname.slice(pathname.lastIndexOf('/') + 1))
}
