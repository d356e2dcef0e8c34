import { dataWords, maxWords } from './data-words.ts'

/**
 * Finds files whose names scripts join from parts: a folder named elsewhere (`${base}search.js`), words of a data file
 * (`${base}part/${hash}.bin`), names in other scripts (`name + ".js"`) or numbers (`"part" + number`). Search indexes and
 * menus that consist of many small files are loaded this way.
 */
export interface JoinedNames {
  addScript(text: string, url: URL): void
  /**
   * Tries the names that can be joined from all scripts so far. Called when everything else is fetched, to make limits
   * always cut at the same place.
   *
   * @return whether a new name was tried. A file found under a new name may name more files.
   */
  resolve(): Promise<boolean>
}

/** Max tails, pairs, patterns and stems tried. */
const maxTails = 24
const maxPairs = 400
const maxPatterns = 40
const maxStems = 40
/** Max words of one file tried first with a pattern, evenly spread. If none names a file, the pattern uses other words. */
const probes = 128
/** Max words in a row that name no file. Words of one kind are adjacent, so a run of hits ends there. */
const missesInRow = 8
/** A pattern that finds more files than this finds the data itself, not indexes that name further files. */
const maxIndexFiles = 4

interface Joining {
  root: URL
  names: NamePatterns
  trials: FileTrials
  /** Words of data files, by address. */
  data: Map<string, string[]>
  /** The pattern that used each word. A hash that names a file with one pattern names no file with another. */
  spent: Map<string, NamePattern>
}

export function createJoinedNames(root: URL, findFile: FindFile): JoinedNames {
  const names = createNamePatterns(root)
  const joining: Joining = { root, names, trials: createFileTrials(findFile), data: new Map(), spent: new Map() }
  return {
    addScript: names.addScript,
    async resolve() {
      const before = joining.trials.count()
      await tryTails(joining)
      await tryPatterns(joining)
      await tryEndings(joining)
      return joining.trials.count() > before
    },
  }
}

/** Tries tails in the folders that may contain them. */
async function tryTails(joining: Joining): Promise<void> {
  const { names, trials } = joining
  const work: Promise<boolean>[] = []
  for (const name of [...names.tails.keys()].sort().slice(0, maxTails)) {
    for (const folder of foldersOf(joining, name)) {
      const url = URL.parse(name, folder)
      if (url) work.push(trials.exists(url, bytes => addData(joining, url, bytes)))
    }
  }
  await Promise.all(work)
}

/** Yields the root, the folders of the scripts that use the name, and folders that scripts name. */
function* foldersOf({ root, names }: Joining, name: string): Generator<string> {
  const { tails, folders } = names
  yield root.href
  yield* [...(tails.get(name) ?? [])].sort()
  const named = [...folders].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  yield* named.slice(0, maxPairs / Math.min(tails.size, maxTails))
}

/** Tries patterns with the words of the data files in the folder of the script. */
async function tryPatterns(joining: Joining): Promise<void> {
  const known = sortByKey(joining.data)
  // Puts patterns with a subfolder first, because most words belong to them.
  const sorted = [...joining.names.patterns].sort(([a, { before }], [b, { before: other }]) => {
    const isInFolder = Number(other.includes('/')) - Number(before.includes('/'))
    return isInFolder || (a < b ? -1 : 1)
  })
  for (const [, pattern] of sorted.slice(0, maxPatterns))
    for (const [address, words] of known) if (folderOf(address) === pattern.folder) await fill(joining, pattern, words)
}

/** Tries endings with numbers and with the names of the lists in the folder of the script. */
async function tryEndings(joining: Joining): Promise<void> {
  const { endings, lists } = joining.names
  const listed = sortByKey(lists)
  for (const [, ending] of sortByKey(endings).slice(0, maxPatterns)) {
    const near = listed.filter(([address]) => folderOf(address) === ending.folder)
    // Without a list in its folder, the script does not append the ending to file names.
    if (near.length > 0) await tryNumbers(joining, ending)
    for (const [, words] of near) await fill(joining, ending, words)
  }
}

/** Tries each stem with 0, 1, 2 and so on, up to the first missing file. */
async function tryNumbers({ trials }: Joining, { folder, after, stems }: NameEnding): Promise<void> {
  const tryStem = async (name: string) => {
    for (let number = 0; ; number += 1) {
      const url = URL.parse(`${name}${number}${after}`, folder)
      if (!url || !(await trials.exists(url))) return
    }
  }
  await Promise.all([...stems].sort().slice(0, maxStems).map(tryStem))
}

/** Tries a pattern with a sample of the words, then with the neighbours of the words that name a file. */
async function fill(joining: Joining, pattern: NamePattern, all: readonly string[]): Promise<void> {
  const { trials, spent } = joining
  const words = all.filter(word => (spent.get(word) ?? pattern) === pattern)
  const found: [URL, Buffer][] = []
  const exists = (at: number) => {
    const word = words[at]
    const url = word === undefined ? null : URL.parse(`${pattern.before}${word}${pattern.after}`, pattern.folder)
    if (!url) return Promise.resolve(false)
    return trials.exists(url, bytes => {
      found.push([url, bytes])
      if (word !== undefined && looksUnique(word)) spent.set(word, pattern)
    })
  }
  const step = Math.max(1, words.length / probes)
  const probed = Array.from({ length: Math.ceil(words.length / step) }, (_, index) => Math.floor(index * step))
  const fitting = (await Promise.all(probed.map(async at => ((await exists(at)) ? [at] : [])))).flat()
  for (const direction of [1, -1]) await Promise.all(fitting.map(hit => follow(hit, direction, words.length, exists)))
  pattern.found += found.length
  if (pattern.found <= maxIndexFiles) for (const [url, bytes] of found) addData(joining, url, bytes)
}

/** Tries the words on one side of a hit. Stops after `missesInRow` misses in a row. */
async function follow(hit: number, direction: number, end: number, exists: (at: number) => Promise<boolean>) {
  let missed = 0
  for (let at = hit + direction; missed < missesInRow && at >= 0 && at < end; at += direction)
    missed = (await exists(at)) ? 0 : missed + 1
}

function addData({ data }: Joining, url: URL, bytes: Buffer): void {
  const words = dataWords(bytes)
  if (words.length > 0) data.set(url.href, words)
}

function looksUnique(word: string): boolean {
  return word.length >= 6 && /\d/.test(word)
}

function folderOf(address: string): string {
  return new URL('.', address).href
}

function sortByKey<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Gets a file of the site; null when it is missing. `isData` = neither a script nor a style sheet, and not too large. */
type FindFile = (url: URL) => Promise<{ isData: boolean; read(): Promise<Buffer> } | null>

/** Tries file names, each once. */
interface FileTrials {
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

function createFileTrials(findFile: FindFile): FileTrials {
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

/** File names that a script builds around a word: `before`, the word, `after`. */
interface NamePattern {
  /** Folder of the script. */
  folder: string
  before: string
  after: string
  /** Files found by this pattern so far. */
  found: number
}

/** An ending that a script appends to whole names, and the stems that a number may follow. */
interface NameEnding extends NamePattern {
  stems: Set<string>
}

/** The file names that the scripts of a site build. */
interface NamePatterns {
  addScript(text: string, url: URL): void
  /** Folders that scripts name. */
  folders: ReadonlySet<string>
  /** The folders of the scripts that append a name to a folder, by that name. */
  tails: ReadonlyMap<string, ReadonlySet<string>>
  patterns: ReadonlyMap<string, NamePattern>
  /** Endings, by folder and ending. */
  endings: ReadonlyMap<string, NameEnding>
  /** Names listed next to pages, by the address of the script that contains the list. */
  lists: ReadonlyMap<string, string[]>
}

const hole = String.raw`\$\{[^{}\x60]{1,60}\}`
/** `${base}search.js` */
const tail = new RegExp(`\`${hole}((?:[\\w@-]+/)*[\\w@.-]*\\w\\.\\w{1,16})\``, 'g')
/** `${base}part/${hash}.bin` */
const template = new RegExp(`\`(?:${hole})?/?((?:[\\w@-]+/)*[\\w@.-]*)${hole}([\\w.-]*\\.\\w{1,16})\``, 'g')
/** "part/" + hash + ".bin" */
const sum = /["']\/?((?:[\w@-]+\/)*[\w@.-]*)["']\s*\+\s*[\w$.]{1,40}\s*\+\s*["']([\w.-]*\.\w{1,16})["']/g
/** name + ".js" */
const ending = /[\w$\])]\s*\+\s*["'](\.(?:m?js|json))["']\s*[;,)}]/g
/** "part" + number */
const stem = /["']([a-z][\w-]{2,40})["']\s*\+\s*[\w$]{1,40}\s*[,;)]/gi
/** In a list: a page, then a name that begins with the name of that page. */
const namesake = /"([\w@-]{1,200})\.\w{1,5}(?:#[^"\s]{0,200})?"\s*,\s*"(\1[\w@-]{0,20})"/g
const folderName = /["'`](\/(?:[\w@.-]+\/)+)["'`]/g

/** @param root base URL of the folders. */
export function createNamePatterns(root: URL): NamePatterns {
  const folders = new Set<string>()
  const tails = new Map<string, Set<string>>()
  const patterns = new Map<string, NamePattern>()
  const endings = new Map<string, NameEnding>()
  const lists = new Map<string, string[]>()

  function addEndings(text: string, own: string): void {
    const found = new Set(Array.from(text.matchAll(ending), ([, after = '']) => after))
    const stems = found.size > 0 ? Array.from(text.matchAll(stem), ([, name = '']) => name) : []
    for (const after of found) {
      const known = endings.get(`${own} ${after}`) ?? { folder: own, before: '', after, found: 0, stems: new Set() }
      for (const name of stems) known.stems.add(name)
      endings.set(`${own} ${after}`, known)
    }
  }

  return {
    folders,
    tails,
    patterns,
    endings,
    lists,
    addScript(text, url) {
      const own = new URL('.', url).href
      for (const [, name = ''] of text.matchAll(folderName)) folders.add(new URL(name, root).href)
      for (const [, name = ''] of text.matchAll(tail)) tails.set(name, (tails.get(name) ?? new Set()).add(own))
      for (const expression of [template, sum])
        for (const [, before = '', after = ''] of text.matchAll(expression)) {
          const key = `${own} ${before} ${after}`
          if (!patterns.has(key)) patterns.set(key, { folder: own, before, after, found: 0 })
        }
      addEndings(text, own)
      const names = new Set(Array.from(text.matchAll(namesake), ([, , name = '']) => name))
      if (names.size > 0) lists.set(url.href, [...names].slice(0, maxWords))
    },
  }
}
