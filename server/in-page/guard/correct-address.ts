import { decodePath } from './is-at-home.ts'

/**
 * Gives the page its original address before the site's scripts read it. Hosts show `/a/b` also as `/a/b.html`, `/a/b/` or
 * `/a/b/index.html`. Relative addresses then resolve as at the origin.
 *
 * @param folder path of the page's folder, with a final slash.
 */
export function correctAddress(ownPath: string, folder: string): void {
  // A page that is in another folder of the bundle keeps its address: its relative addresses are made for that folder.
  if (
    ownPath.slice(0, ownPath.lastIndexOf('/') + 1) !== folder ||
    decodePath(location.pathname) === decodePath(ownPath)
  )
    return
  try {
    history.replaceState(history.state, '', ownPath + location.search + location.hash)
  } catch {
    // The browser may refuse, for example in a sandboxed frame. The page then keeps its address.
  }
}
