import { isAtHome } from './is-at-home.ts'

/**
 * Runs in the static first page of an app that identifies its pages by fragments. At the app's original path, it replaces
 * the document with the page that the site sent; the scripts of that page then show every page. At other paths it does
 * nothing.
 *
 * @param shell the page as the site sent it, decoded.
 */
export default function startApp(ownPath: string, shell: string): void {
  const page = document.documentElement
  document.currentScript?.remove()
  if (!isAtHome(ownPath)) return
  for (const name of page.getAttributeNames()) page.removeAttribute(name)
  document.addEventListener('DOMContentLoaded', () => document.getElementById('quire-rest')?.remove())
  // A plaintext element never ends, so it contains the rest of the static page. It is removed before DOMContentLoaded is
  // dispatched.
  document.write(`${shell}<plaintext id="quire-rest" style="display:none">`)
}
