import type { IndexLoader, SearchDirectory } from './index-format.ts'

declare global {
  interface Window {
    /** The files of the index call this function with their content. */
    __quireSearch: (kind: string, number: number, data: unknown) => void
  }
}

interface IndexLoaderSettings {
  /** Address of the folder of the index, with a slash at its end. */
  folder: string
  /** Allows scripts in pages whose Content Security Policy requires a nonce. */
  nonce: string
}

/**
 * Loads each file of the index once. The files are scripts, because pages on file:// can load scripts but no other files.
 */
export function createIndexLoader({ folder, nonce }: IndexLoaderSettings): IndexLoader {
  const waiting = new Map<string, (data: unknown) => void>()
  const loaded = new Map<string, Promise<unknown>>()
  let build = ''

  Object.defineProperty(window, '__quireSearch', {
    value(kind: string, number: number, data: unknown) {
      if (kind === 'directory') ({ build } = data as SearchDirectory)
      waiting.get(`${kind}-${number}`)?.(data)
    },
  })

  function addressOf(kind: string, key: string): string {
    // The version prevents a cache from mixing this bundle with another bundle at the same address.
    const version = build !== '' && location.protocol !== 'file:' ? `?${build}` : ''
    return `${folder}${kind === 'directory' ? kind : key}.js${version}`
  }

  function loadFile(kind: string, number: number): Promise<unknown> {
    const key = `${kind}-${number}`
    const before = loaded.get(key)
    if (before) return before
    const file = new Promise<unknown>((resolve, reject) => {
      waiting.set(key, resolve)
      const script = document.createElement('script')
      script.src = addressOf(kind, key)
      if (nonce) script.nonce = nonce
      script.onload = () => {
        script.remove()
        reject(new Error(`${script.src} is not a file of the search index`))
      }
      script.onerror = () => {
        script.remove()
        loaded.delete(key)
        reject(new Error(`${script.src} could not be loaded`))
      }
      ;(document.head ?? document.documentElement).append(script)
    })
    loaded.set(key, file)
    return file
  }
  return loadFile as IndexLoader
}
