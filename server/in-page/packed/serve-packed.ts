import { answerFetch } from './answer-fetch.ts'
import { answerImports } from './answer-imports.ts'
import { answerRequests } from './answer-requests.ts'
import { answerWorkers } from './answer-workers.ts'
import { createFinder, type FileContent, type PackedFile, type PackedFiles } from './packed-file.ts'

/**
 * Runs before the site's scripts, in pages on file://. Browsers refuse there what scripts request. This script answers requests
 * for files of the bundle from copies in scripts, which browsers load.
 *
 * @param packed files by the name of their scripts.
 * @param start the script that runs first in a worker.
 */
export default function servePacked(packed: Record<string, PackedFile>, start: string): void {
  const own = document.currentScript
  if (!(own instanceof HTMLScriptElement) || location.protocol !== 'file:') return
  const root = new URL('..', own.src).href
  const files = { ...createPageFiles(root, packed), onOther: createClickFollower() }
  answerFetch(files)
  answerRequests(files)
  answerWorkers(files, { root, packed, start })
  answerImports(files)
}

/**
 * Reads packed files in a page: loads the script of a file when the file is read for the first time.
 *
 * @param root address of the bundle's folder, with a final slash.
 * @param packed files by the name of their scripts.
 */
function createPageFiles(root: string, packed: Readonly<Record<string, PackedFile>>): PackedFiles {
  const names = new Map(Object.entries(packed).map(([name, { path }]) => [root + path, name]))
  const contents = new Map<string, Promise<FileContent>>()
  const waiting = new Map<string, (bytes: Uint8Array<ArrayBuffer>) => void>()
  window.__quirePacked = (name, text, base64 = '') => {
    waiting.get(name)?.(text === null ? decodeBase64(base64) : new TextEncoder().encode(text))
  }

  function load(name: string): Promise<FileContent> {
    return new Promise((resolve, reject) => {
      const script = document.createElement('script')
      waiting.set(name, bytes => resolve({ bytes, type: packed[name]?.type ?? '' }))
      script.onload = script.onerror = () => {
        script.remove()
        waiting.delete(name)
        reject(new TypeError('Failed to fetch'))
      }
      script.src = `${root}_quire/packed/${name}.js`
      ;(document.head ?? document.documentElement).append(script)
    })
  }

  return {
    find: createFinder([...names.keys()], () => document.baseURI),
    read(address) {
      const name = names.get(address)
      if (name === undefined) return Promise.reject(new TypeError('Failed to fetch'))
      const content = contents.get(address) ?? load(name)
      contents.set(address, content)
      return content
    },
  }
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), character => character.charCodeAt(0))
}

/** How long after a click a script may take until it requests the page. */
const clickMs = 3000

/**
 * Follows the links that scripts follow without the browser: such a script requests the page of a clicked link and puts it in
 * place of the shown one. Browsers refuse both on file://.
 *
 * @return a function to call with each address that a script requests, and that is no packed file. If it is that of the link
 * that was just clicked, the browser loads the page.
 */
function createClickFollower(): (address: unknown) => void {
  let clicked: { href: string; at: number } | null = null
  addEventListener(
    'click',
    ({ target }) => {
      const link = target instanceof Element ? target.closest('a') : null
      clicked = link ? { href: link.href, at: performance.now() } : null
    },
    true,
  )
  const follow = (address: unknown) => {
    const bare = bareAddress(String(address))
    if (!clicked || performance.now() - clicked.at > clickMs) return
    if (bare === bareAddress(clicked.href) && bare !== bareAddress(location.href)) location.assign(clicked.href)
  }
  for (const name of ['pushState', 'replaceState'] as const) {
    const plain = history[name].bind(history)
    history[name] = (data, unused, address) => {
      try {
        plain(data, unused, address)
      } catch (error) {
        follow(address)
        throw error
      }
    }
  }
  return follow
}

function bareAddress(address: string): string | null {
  return URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI).href.replace(/#.*$/s, '') : null
}

declare global {
  interface Window {
    /** Called by the script of a packed file. A file that is no text in UTF-8 is given in base64. */
    __quirePacked?: (name: string, text: string | null, base64?: string) => void
  }
}
