import { correctAddress } from './correct-address.ts'
import { isAtHome } from './is-at-home.ts'

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

type Call = Document['currentScript']

interface ScriptStarter {
  /**
   * Used while the page is parsed. Removes the call, and replaces the inert script before the call with a script that runs.
   */
  writeScript(call: Call, atHome: boolean): void
  /**
   * Used later, in markup inserted by an app. Replaces the inert script before the call, or all inert scripts on the page.
   */
  replaceScripts(call: Call): void
}

/** @param folder base path of relative script addresses; null = relative addresses stay unchanged. */
function createScriptStarter(folder: string | null): ScriptStarter {
  const started: Record<string, boolean> = {}

  /** Returns false if a script with this address already ran. */
  function isNew(script: Element): boolean {
    const source = script.getAttribute('src')
    if (!source) return true
    const link = document.createElement('a')
    link.href = source
    const hasRun = started[link.href]
    started[link.href] = true
    return !hasRun
  }

  /**
   * Returns the value of an attribute. Makes addresses relative to the root, as most sites do, because some site runtimes
   * find their script by its `src` attribute.
   */
  function readValue({ name, value }: Attr): string {
    if (folder === null || name !== 'src' || /^([a-z][a-z0-9+.-]*:|[/]|$)/i.test(value)) return value
    return new URL(value, location.origin + folder).href.slice(location.origin.length)
  }

  return {
    writeScript(call, atHome) {
      const script = call?.previousElementSibling
      call?.remove()
      if (!atHome || !isInert(script)) return
      isNew(script)
      let html = '<script'
      for (const attribute of script.attributes) {
        if (attribute.name === 'type') continue
        const value = readValue(attribute).replace(/&/g, '&amp;').replace(/"/g, '&quot;')
        html += ` ${originalName(attribute)}="${value}"`
      }
      html += `>${script.text}</script>`
      script.remove()
      document.write(html)
    },
    replaceScripts(call) {
      // An app may run the call at another place in the page. The call then starts all inert scripts.
      const before = call?.previousElementSibling
      const scripts = isInert(before)
        ? [before]
        : document.querySelectorAll<HTMLScriptElement>('script[type="text/quire"]')
      for (const inert of scripts) {
        if (!isNew(inert)) continue
        const script = document.createElement('script')
        script.async = false
        for (const attribute of inert.attributes)
          if (attribute.name !== 'type') script.setAttribute(originalName(attribute), attribute.value)
        script.text = inert.text
        inert.replaceWith(script)
      }
    },
  }
}

function isInert(element: Element | null | undefined): element is HTMLScriptElement {
  return (element as HTMLScriptElement | null | undefined)?.type === 'text/quire'
}

function originalName({ name }: Attr): string {
  return name === 'data-quire-type' ? 'type' : name
}
