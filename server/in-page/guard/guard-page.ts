import { correctAddress } from './correct-address.ts'
import { isAtHome } from './is-at-home.ts'
import { createScriptStarter } from './start-scripts.ts'

declare global {
  interface Window {
    /** Starts the inert script before the script element that calls it. */
    __quire?: () => void
  }
}

/**
 * Runs first in a guarded page. Starts the site's scripts if the page is at its original path, and corrects the spelling of
 * that path; otherwise loads our runtime.
 *
 * @param ownPath null = the scripts may start at any path of a host.
 * @param runtime relative address of our runtime.
 * @param folder path of the page's folder, with a final slash.
 */
export default function guardPage(ownPath: string | null, runtime: string, folder: string): void {
  // This function runs again when an app inserts the markup of another page, because the markup includes that page's guard.
  if (window.__quire) return
  const guard = document.currentScript
  const atHome = isAtHome(ownPath)
  if (atHome && ownPath !== null) correctAddress(ownPath, folder)
  const starter = createScriptStarter(ownPath === null ? null : folder)
  window.__quire = () => {
    const call = document.currentScript
    if (document.readyState === 'loading') starter.writeScript(call, atHome)
    else if (atHome) starter.replaceScripts(call)
  }
  if (!atHome) document.write(`<script src="${runtime}" defer></script>`)
  guard?.remove()
}
