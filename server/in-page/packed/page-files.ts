import { createFinder, type FileContent, type PackedFile, type PackedFiles } from './packed-file.ts'

declare global {
  interface Window {
    /** Called by the script of a packed file. A file that is no text in UTF-8 is given in base64. */
    __quirePacked?: (name: string, text: string | null, base64?: string) => void
  }
}

/**
 * Reads packed files in a page: loads the script of a file when the file is read for the first time.
 *
 * @param root address of the bundle's folder, with a final slash.
 * @param packed files by the name of their scripts.
 */
export function createPageFiles(root: string, packed: Readonly<Record<string, PackedFile>>): PackedFiles {
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
