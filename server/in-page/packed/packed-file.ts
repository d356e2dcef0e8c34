// This file uses no DOM, because the exporter also imports it.

/** A file of the bundle with a copy in a script. */
export interface PackedFile {
  /** Path in the bundle, percent-encoded. */
  path: string
  type: string
}

/** The content of a file. */
export interface FileContent {
  bytes: Uint8Array<ArrayBuffer>
  type: string
}

/** The files that the scripts of a page or of a worker get without a request. */
export interface PackedFiles {
  /** Returns the full address of a packed file; null for all other addresses. */
  find(address: unknown): string | null
  /** @param address as `find` returns it. */
  read(address: string): Promise<FileContent>
  /** Called with the address of every other request. */
  onOther?(address: unknown): void
}

/** The first message to a worker. Its port answers the requests of the worker with `FileContent`. */
export interface WorkerStart {
  /** Address of the worker's script on file://. */
  address: string
  /** Texts of scripts, by address: a worker loads scripts without waiting. */
  scripts: ReadonlyMap<string, string>
  /** Addresses of all packed files. */
  addresses: readonly string[]
}

/** Returns a function that finds an address in a list: without query and fragment, and whatever its escapes are. */
export function createFinder(addresses: readonly string[], base: () => string): PackedFiles['find'] {
  const known = new Map(addresses.map(address => [decode(address), address]))
  return address => {
    if (typeof address !== 'string' && !(address instanceof URL)) return null
    if (!URL.canParse(String(address), base())) return null
    const { href } = new URL(String(address), base())
    return known.get(decode(href.replace(/[?#].*$/s, ''))) ?? null
  }
}

/** Returns the address as it is when its escapes are invalid. */
function decode(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
