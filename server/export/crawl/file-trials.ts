/** Gets a file of the site; null when there is none. `isData` = it is neither a script nor a style sheet, and not too large. */
export type FindFile = (url: URL) => Promise<{ isData: boolean; read(): Promise<Buffer> } | null>

/** Tries file names, each once. */
export interface FileTrials {
  /**
   * Whether a file exists. False also for new names past the limit of misses.
   *
   * @param onData called with the bytes of a data file, the first time only.
   */
  exists(url: URL, onData?: (bytes: Buffer) => void): Promise<boolean>
  /** How many names were tried. */
  count(): number
}

/** Missing files beyond the number of those found. */
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
