/** Decides whether a part exists. Each path is tried once. */
export type HasPart = (path: string) => Promise<boolean>

/** Max parts found, and max parts tried in vain. */
const maxFound = 5000
const maxMissing = 100
/** Max names of a list tried before one is found. */
const maxVain = 8
/** Max names read from one list of a script. */
const maxListed = 200
/** Max characters between a listed name and the brackets around its list. */
const maxListLength = 8000

/**
 * Finds the other parts of an index that consists of many files, by the parts that some searches loaded: numbered parts
 * (`part_3.js`: `part_0.js`, `part_1.js` ...; also in hexadecimal), and parts named by a list in a script (`kinds_3.js`
 * when a script has `["parts", "kinds"]`).
 *
 * @param paths of the known parts, without an origin.
 * @param scripts texts of the scripts that the page loaded.
 * @return sorted paths of all parts, including the known ones; null when nothing explains their names.
 */
export async function findParts(
  paths: readonly string[],
  scripts: readonly string[],
  has: HasPart,
): Promise<string[] | null> {
  const tried = new Map<string, boolean>()
  let missing = 0
  const exists = async (path: string): Promise<boolean> => {
    const known = tried.get(path)
    if (known !== undefined) return known
    if (missing >= maxMissing || tried.size - missing >= maxFound) return false
    const isFound = await has(path)
    if (!isFound) missing += 1
    tried.set(path, isFound)
    return isFound
  }
  const known = [...new Set(paths)].sort()
  const explained = new Set<string>()
  for (const path of known) {
    let isExplained = splitStem(path).some(isNumber)
    for (const list of listNamesakes(path, scripts)) if (await tryList(list, exists)) isExplained = true
    if (isExplained) explained.add(path)
    if (isExplained || known.length === 1) await countUp(path, exists)
  }
  // Several files whose names no rule explains may be any number of files.
  if (known.length > 1 && explained.size < known.length) return null
  return [...tried].flatMap(([path, isFound]) => (isFound ? [path] : [])).sort()
}

/** Lists the paths with one name replaced by the other names of a list that contains the name, for each such list. */
function listNamesakes(path: string, scripts: readonly string[]): string[][] {
  const names = [...new Set(splitStem(path))].filter(name => /^[a-z]\w+$/i.test(name))
  return names.flatMap(name =>
    scripts.map(script =>
      readList(script, name).flatMap(other => (other === name ? [] : [replaceName(path, name, other)])),
    ),
  )
}

/** Tries the paths of a list, and gives up if the first ones are missing. Returns whether a part was found. */
async function tryList(paths: readonly string[], exists: HasPart): Promise<boolean> {
  let isFound = false
  for (const [at, path] of paths.entries()) {
    if (at >= maxVain && !isFound) break
    isFound = (await countUp(path, exists)) || isFound
  }
  return isFound
}

/** Splits a path without its extension into names and what is between them. */
function splitStem(path: string): string[] {
  return path.replace(/\.\w+$/, '').split(/([^A-Za-z0-9]+)/)
}

function replaceName(path: string, name: string, other: string): string {
  const extension = /\.\w+$/.exec(path)?.[0] ?? ''
  return splitStem(path)
    .map(part => (part === name ? other : part))
    .join('')
    .concat(extension)
}

/** Returns the values of the list or map in a script that contains the name. */
function readList(script: string, name: string): string[] {
  const found = new Set<string>()
  for (const { index } of [`"${name}"`, `'${name}'`].map(quoted => ({ index: script.indexOf(quoted) }))) {
    if (index === -1) continue
    const from = Math.max(script.lastIndexOf('[', index), script.lastIndexOf('{', index))
    const ends = [script.indexOf(']', index), script.indexOf('}', index)].filter(end => end !== -1)
    const to = Math.min(...ends)
    if (from === -1 || to - from > maxListLength) continue
    // A string before a colon is a key.
    for (const [, , value = ''] of script.slice(from, to).matchAll(/(["'])([\w.@-]{1,64})\1(?!\s*:)/g))
      if (found.size < maxListed) found.add(value)
  }
  return [...found]
}

/**
 * Tries a path, or if it has numbers, for each of them the numbers from 0 to the first that is missing. Returns whether a
 * part was found.
 */
async function countUp(path: string, exists: HasPart): Promise<boolean> {
  const parts = splitStem(path)
  const extension = /\.\w+$/.exec(path)?.[0] ?? ''
  if (!parts.some(isNumber)) return exists(path)
  let isFound = false
  for (const [at, part] of parts.entries()) {
    if (!isNumber(part)) continue
    for (const base of [10, 16])
      for (let number = 0, isLast = false; !isLast; number += 1) {
        const name = [...parts.slice(0, at), number.toString(base), ...parts.slice(at + 1)].join('') + extension
        const isPart = await exists(name)
        isFound ||= isPart
        // Some indexes count from 1.
        isLast = !isPart && number > 0
      }
  }
  return isFound
}

function isNumber(part: string): boolean {
  return /^[0-9a-f]{1,3}$/i.test(part)
}
