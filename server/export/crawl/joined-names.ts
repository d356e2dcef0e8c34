import { gunzipSync } from 'node:zlib'

/**
 * Names that a script puts together: from a folder that is named elsewhere (`${base}search.js`), and from words of the
 * data beside it (`${base}part/${hash}.bin`). Search indexes that come in many small files are loaded that way, and menus in
 * many small scripts: `name + ".js"`, with the names in other such scripts, or `"part" + number`.
 */
export interface JoinedNames {
  addScript(text: string, url: URL): void
  /**
   * Tries the names that all scripts so far make. Comes when all else is fetched, so that limits cut at the same place every
   * time. Gives whether it asked for anything: what was found may be a script that names more.
   */
  resolve(): Promise<boolean>
}

/** Gets a file of the site if it is there; null when it is none. Its bytes are read for data only. */
export type FindFile = (url: URL) => Promise<{ isData: boolean; read(): Promise<Buffer> } | null>

/** Bounds of what is tried in vain: folders and names that are combined, and files that are not there beyond those that are. */
const maxTails = 24
const maxPairs = 400
const maxPatterns = 40
const maxStems = 40
const maxMisses = 1000
/** Of the words of one file so many are tried, evenly spread, before a pattern counts as not meant for them. */
const probes = 128
/** Words stand in lists of one kind; so many in a row that name no file end one. */
const missesInRow = 8
/** A pattern with more files than this has the data itself, not what names further files. */
const maxIndexFiles = 4
const maxWords = 50_000
const maxDataBytes = 8 * 1024 ** 2

const hole = String.raw`\$\{[^{}\x60]{1,60}\}`
const tail = new RegExp(`\`${hole}((?:[\\w@-]+/)*[\\w@.-]*\\w\\.\\w{1,16})\``, 'g')
const pattern = new RegExp(`\`(?:${hole})?/?((?:[\\w@-]+/)*[\\w@.-]*)${hole}([\\w.-]*\\.\\w{1,16})\``, 'g')
const sum = /["']\/?((?:[\w@-]+\/)*[\w@.-]*)["']\s*\+\s*[\w$.]{1,40}\s*\+\s*["']([\w.-]*\.\w{1,16})["']/g
/** A whole name, with its ending put behind it. */
const ending = /[\w$\])]\s*\+\s*["'](\.(?:m?js|json))["']\s*[;,)}]/g
/** A name that a number may follow. */
const stem = /["']([a-z][\w-]{2,40})["']\s*\+\s*[\w$]{1,40}\s*[,;)]/gi
/** In a list: a page, and what is called after it. */
const namesake = /"([\w@-]{1,200})\.\w{1,5}(?:#[^"\s]{0,200})?"\s*,\s*"(\1[\w@-]{0,20})"/g
const folderName = /["'`](\/(?:[\w@.-]+\/)+)["'`]/g

export function createJoinedNames(root: URL, findFile: FindFile): JoinedNames {
  const folders = new Set<string>()
  /** Folders of the scripts that put the name behind one, by name. */
  const tails = new Map<string, Set<string>>()
  const patterns = new Map<string, Pattern>()
  /** What data says, by its address. */
  const data = new Map<string, string[]>()
  /** What lists of pages call after them, by the address of the script that holds the list. */
  const lists = new Map<string, string[]>()
  /** What scripts put an ending behind, by folder and ending. */
  const endings = new Map<string, Pattern & { stems: Set<string> }>()
  const tried = new Map<string, Promise<boolean>>()
  /** What names a file by one pattern names none by another, when it is a hash. */
  const spent = new Map<string, Pattern>()
  let misses = 0
  let hits = 0

  function tryFile(url: URL, use: (bytes: Buffer) => void = () => {}): Promise<boolean> {
    const known = tried.get(url.href)
    if (known) return known
    if (misses >= maxMisses + hits) return Promise.resolve(false)
    const work = (async () => {
      const file = await findFile(url)
      if (file) hits += 1
      else misses += 1
      if (file?.isData) use(await file.read())
      return file !== null
    })()
    tried.set(url.href, work)
    return work
  }

  function addData(url: URL, bytes: Buffer) {
    const words = dataWords(bytes)
    if (words.length > 0) data.set(url.href, words)
  }

  /** Tries a pattern with words: some of them first, then those around the ones that fit. */
  async function fill(pattern: Pattern, all: readonly string[]) {
    const { folder, before, after } = pattern
    const words = all.filter(word => (spent.get(word) ?? pattern) === pattern)
    const found: [URL, Buffer][] = []
    const isThere = (at: number) => {
      const url = words[at] === undefined ? null : URL.parse(`${before}${words[at]}${after}`, folder)
      if (!url) return Promise.resolve(false)
      return tryFile(url, bytes => {
        found.push([url, bytes])
        if (looksUnique(words[at])) spent.set(words[at] ?? '', pattern)
      })
    }
    const step = Math.max(1, words.length / probes)
    const probed = Array.from({ length: Math.ceil(words.length / step) }, (_, index) => Math.floor(index * step))
    const fitting = (await Promise.all(probed.map(async at => ((await isThere(at)) ? [at] : [])))).flat()
    for (const direction of [1, -1]) {
      await Promise.all(
        fitting.map(async hit => {
          for (
            let at = hit + direction, missed = 0;
            missed < missesInRow && at >= 0 && at < words.length;
            at += direction
          )
            missed = (await isThere(at)) ? 0 : missed + 1
        }),
      )
    }
    pattern.found += found.length
    if (pattern.found <= maxIndexFiles) for (const [url, bytes] of found) addData(url, bytes)
  }

  /** Tries what a number may follow with 0, 1, 2 and so on. */
  async function count({ folder, after, stems }: Pattern & { stems: Set<string> }) {
    const tryStem = async (name: string) => {
      for (let number = 0; ; number += 1) {
        const url = URL.parse(`${name}${number}${after}`, folder)
        if (!url || !(await tryFile(url))) return
      }
    }
    await Promise.all([...stems].sort().slice(0, maxStems).map(tryStem))
  }

  /** The folders that a name is tried in: the root, those of its scripts, and those that scripts name. */
  function* foldersOf(name: string): Generator<string> {
    yield root.href
    yield* [...(tails.get(name) ?? [])].sort()
    const named = [...folders].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
    yield* named.slice(0, maxPairs / Math.min(tails.size, maxTails))
  }

  return {
    addScript(text, url) {
      const own = new URL('.', url).href
      for (const [, name = ''] of text.matchAll(folderName)) folders.add(new URL(name, root).href)
      for (const [, name = ''] of text.matchAll(tail)) tails.set(name, (tails.get(name) ?? new Set()).add(own))
      for (const expression of [pattern, sum])
        for (const [, before = '', after = ''] of text.matchAll(expression)) {
          const key = `${own} ${before} ${after}`
          if (!patterns.has(key)) patterns.set(key, { folder: own, before, after, found: 0 })
        }
      for (const [, after = ''] of text.matchAll(ending)) {
        const known = endings.get(`${own} ${after}`) ?? { folder: own, before: '', after, found: 0, stems: new Set() }
        for (const [, name = ''] of text.matchAll(stem)) known.stems.add(name)
        endings.set(`${own} ${after}`, known)
      }
      const names = new Set(Array.from(text.matchAll(namesake), ([, , name = '']) => name))
      if (names.size > 0) lists.set(url.href, [...names].slice(0, maxWords))
    },
    async resolve() {
      const before = tried.size
      const work: Promise<unknown>[] = []
      for (const name of [...tails.keys()].sort().slice(0, maxTails)) {
        for (const folder of foldersOf(name)) {
          const url = URL.parse(name, folder)
          if (url) work.push(tryFile(url, bytes => addData(url, bytes)))
        }
      }
      await Promise.all(work)
      const known = [...data].sort(([a], [b]) => (a < b ? -1 : 1))
      // Files in folders of their own first: most words are spent on them.
      const sorted = [...patterns].sort(([a, { before }], [b, { before: other }]) => {
        const isInFolder = Number(other.includes('/')) - Number(before.includes('/'))
        return isInFolder || (a < b ? -1 : 1)
      })
      for (const [, each] of sorted.slice(0, maxPatterns))
        for (const [address, words] of known) if (new URL('.', address).href === each.folder) await fill(each, words)
      const listed = [...lists].sort(([a], [b]) => (a < b ? -1 : 1))
      for (const [, each] of [...endings].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, maxPatterns)) {
        const near = listed.filter(([address]) => new URL('.', address).href === each.folder)
        // Without a list beside it the script names other things.
        if (near.length > 0) await count(each)
        for (const [, words] of near) await fill(each, words)
      }
      return tried.size > before
    },
  }
}

interface Pattern {
  /** Of its script. */
  folder: string
  before: string
  after: string
  /** Files that it led to so far. */
  found: number
}

function looksUnique(word = ''): boolean {
  return word.length >= 6 && /\d/.test(word)
}

/** The words of a data file that could be part of a file's name, each once, in their order. */
export function dataWords(bytes: Buffer): string[] {
  const plain = unzip(bytes)
  const words = new Set<string>()
  const text = plain.toString('latin1')
  if (/^\s*[[{]/.test(text)) {
    for (const [, word = ''] of text.matchAll(/"([\w.@-]{1,64})"/g)) if (words.size < maxWords) words.add(word)
    return [...words]
  }
  const runs = text.match(/[\w-]{6,64}/g) ?? []
  const isCounted = runs.filter(run => countedStrings(run)[0]?.length === run.length - 1).length > runs.length / 2
  for (const run of runs) {
    // In a binary file only what looks like a hash is told from chance.
    const plain = /\d/.test(run) && /[a-z]/i.test(run) ? [run] : []
    for (const word of isCounted ? countedStrings(run) : plain) if (words.size < maxWords) words.add(word)
  }
  return [...words]
}

/**
 * The strings that a run of letters may end in, the longest first. CBOR (RFC 8949, 3) writes the length of a short string
 * as a letter before it; other strings may stand before that, and a letter may be of the right number by chance.
 */
function countedStrings(run: string): string[] {
  const found: string[] = []
  for (let at = 0; at < run.length - 4; at += 1) {
    const isCount = run.charCodeAt(at) - 0x60 === run.length - at - 1
    if (isCount && /[a-z0-9]/i.test(run.charAt(at + 1))) found.push(run.slice(at + 1))
    if (isCount && at === 0) break
  }
  return found
}

function unzip(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: maxDataBytes })
  } catch {
    return Buffer.alloc(0)
  }
}
