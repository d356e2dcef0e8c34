import { isAtHome } from './is-at-home.ts'

/**
 * Runs in the static first page of an app that tells its pages apart by fragments. At the app's own path it replaces the
 * document by the page that the site sent, whose scripts then show every page; elsewhere it does nothing.
 *
 * @param shell the page as the site sent it, decoded.
 */
export default function startApp(ownPath: string, shell: string): void {
  const page = document.documentElement
  document.currentScript?.remove()
  if (!isAtHome(ownPath)) return
  for (const name of page.getAttributeNames()) page.removeAttribute(name)
  document.addEventListener('DOMContentLoaded', () => document.getElementById('quire-rest')?.remove())
  // Nothing ends a plaintext element: the rest of the static page becomes its text, and is removed with it before scripts
  // hear DOMContentLoaded.
  document.write(`${shell}<plaintext id="quire-rest" style="display:none">`)
}
