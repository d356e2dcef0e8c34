/** An entry of an import map: what stands for a module's name, or for the beginning of names when it ends in a slash. */
export interface ImportMapEntry {
  name: string
  address: string
}

/** Reads an import map (HTML, "import maps"), the scoped entries after the others; text that is none has no entries. */
export function importMapEntries(text: string): ImportMapEntry[] {
  const map = parseImportMap(text)
  if (!map) return []
  const scopes = Object.values(readObject(map.scopes)).map(readObject)
  return [readObject(map.imports), ...scopes].flatMap(imports =>
    Object.entries(imports).flatMap(([name, address]) => (typeof address === 'string' ? [{ name, address }] : [])),
  )
}

/** The import map as an object; null when the text is none. */
export function parseImportMap(text: string): Record<string, unknown> | null {
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

/** What the import maps of a site make of the bare names in its scripts, in whichever order both are read. */
export interface ModuleNames {
  addMap(text: string, base: URL): void
  addName(name: string): void
}

/** Maps and names past so many are an attack. */
const maxNames = 5000

/** @param need hears of each module, again and again. */
export function createModuleNames(need: (url: URL) => void): ModuleNames {
  const prefixes = new Map<string, URL>()
  const names = new Set<string>()

  function join(name: string, prefix: string, address: URL) {
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
