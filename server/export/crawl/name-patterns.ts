import { maxWords } from './data-words.ts'

/** File names that a script builds around a word: `before`, the word, `after`. */
export interface NamePattern {
  /** Folder of the script. */
  folder: string
  before: string
  after: string
  /** Files found by this pattern so far. */
  found: number
}

/** An ending that a script appends to whole names, and the stems that a number may follow. */
export interface NameEnding extends NamePattern {
  stems: Set<string>
}

/** The file names that the scripts of a site build. */
export interface NamePatterns {
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
