/** Gets a file of the site; null when it is missing. `isData` = neither a script nor a style sheet, and not too large. */
export type FindFile = (url: URL) => Promise<{ isData: boolean; read(): Promise<Buffer> } | null>

/** Tries file names, each once. */
export interface FileTrials {
  /**
   * Returns whether a file exists. Returns false for new names after too many missing files.
   *
   * @param onData called with the bytes of a data file, the first time only.
   */
  exists(url: URL, onData?: (bytes: Buffer) => void): Promise<boolean>
  /** Returns the number of names tried. */
  count(): number
}

/** Max missing files beyond the number of files found. */
const maxMisses = 1000

export function createFileTrials(findFile: FindFile): FileTrials {
  const tried = new Map<string, Promise<boolean>>()
  let misses = 0
  let hits = 0

  async function find(url: URL, onData: (bytes: Buffer) => void): Promise<boolean> {
    const file = await findFile(url)
    if (file) hits += 1
    else misses += 1
    if (file?.isData) onData(await file.read())
    return file !== null
  }

  return {
    exists(url, onData = () => {}) {
      const known = tried.get(url.href)
      if (known) return known
      if (misses >= maxMisses + hits) return Promise.resolve(false)
      const found = find(url, onData)
      tried.set(url.href, found)
      return found
    },
    count: () => tried.size,
  }
}
