/** An entry of an import map: the address of a module name, or of a prefix of names if it ends with a slash. */
export interface ImportMapEntry {
  name: string
  address: string
}

/** Reads an import map (HTML, "import maps"), scoped entries last. Other text has no entries. */
export function importMapEntries(text: string): ImportMapEntry[] {
  const map = parseImportMap(text)
  if (!map) return []
  const scopes = Object.values(readObject(map.scopes)).map(readObject)
  return [readObject(map.imports), ...scopes].flatMap(imports =>
    Object.entries(imports).flatMap(([name, address]) => (typeof address === 'string' ? [{ name, address }] : [])),
  )
}

/** Max length of an import map: parsed lists take a hundred times the memory of their text. */
const maxCharacters = 1024 ** 2

/** Parses an import map. Returns null if the text is not an import map. */
export function parseImportMap(text: string): Record<string, unknown> | null {
  if (text.length > maxCharacters) return null
  try {
    const map: unknown = JSON.parse(text)
    return typeof map === 'object' && map !== null && !Array.isArray(map) ? (map as Record<string, unknown>) : null
  } catch {
    return null
  }
}

export function readObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** Resolves the bare names in the scripts of a site by its import maps. Names and maps may be added in any order. */
export interface ModuleNames {
  addMap(text: string, base: URL): void
  addName(name: string): void
}

/** Max names and entries. More are an attack. */
const maxNames = 5000
/** Max pairs of a name and an entry. A map may give an entry another address, and then all names are joined with it again. */
const maxJoins = 500_000

/** @param need called with the address of each module, possibly several times. */
export function createModuleNames(need: (url: URL) => void): ModuleNames {
  const prefixes = new Map<string, URL>()
  const names = new Set<string>()

  let joins = 0

  function join(name: string, prefix: string, address: URL) {
    joins += 1
    if (joins > maxJoins) return
    const url = name.startsWith(prefix) ? URL.parse(name.slice(prefix.length), address) : null
    if (url?.href.startsWith(address.href)) need(url)
  }

  return {
    addMap(text, base) {
      for (const { name, address } of importMapEntries(text).slice(0, maxNames)) {
        const url = URL.parse(address, base)
        if (!url) continue
        if (!name.endsWith('/')) need(url)
        else if (prefixes.get(name)?.href !== url.href && prefixes.size < maxNames) {
          prefixes.set(name, url)
          for (const each of names) join(each, name, url)
        }
      }
    },
    addName(name) {
      if (names.has(name) || names.size >= maxNames) return
      names.add(name)
      for (const [prefix, address] of prefixes) join(name, prefix, address)
    },
  }
}
