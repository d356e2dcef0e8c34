import { createSplices } from '../../web/html/splice.ts'
import { decodeRaw, encodeRaw, type RawText } from '../../web/html/text-encoding.ts'
import { parseImportMap, readObject } from '../../web/javascript/import-map.ts'
import { scriptReferences } from '../../web/javascript/script-references.ts'
import { type BundleMap, type RewriteFindings, referTo } from './bundle-map.ts'

/** The place of a script on the site and in the bundle. */
export interface ScriptPlacement {
  /** Base of the script's relative addresses. */
  url: URL
  /** Bundle path of the script, or of the page that contains it. */
  path: string
  /** True for a script of another host. For a script of the site, relative addresses still lead to its files. */
  hasMoved: boolean
}

/** Matches every text that may need rewriting in a script that has not moved. */
const leaves = /\b(?:from|import|importScripts|URL)\s*(?:\(\s*)?["'`](?:https?:)?\/\//

/**
 * Makes the addresses of modules and workers relative to the script's place in the bundle. All other bytes stay the same.
 */
export function rewriteScript(raw: RawText, place: ScriptPlacement, map: BundleMap, findings: RewriteFindings): string {
  if (!place.hasMoved && !leaves.test(raw.text)) return raw.text
  const splices = createSplices(raw.text)
  for (const { address: written, kind, start, end } of scriptReferences(raw.text)) {
    const address = decodeRaw(written, raw.charset)
    const isAbsolute = /^(?:https?:)?\/\//i.test(address)
    if (kind === 'text' || !(isAbsolute || (place.hasMoved && isAddress(address)))) continue
    const url = URL.parse(address, place.url)
    if (!url || !/^https?:$/.test(url.protocol)) continue
    const destination = map.findFile(url)
    if (destination.kind === 'inside') {
      const to = referTo(place.path, destination.path, address)
      // A relative module address must begin with a dot. An apostrophe could end the string.
      if (to !== undefined) splices.replace(start, end, dotted(to).replaceAll("'", '%27'))
    } else if (destination.kind === 'gone') findings.missingFile(url, destination.reason)
  }
  return splices.apply()
}

/** Max entries added for the files in folders of other hosts. */
const maxAddedNames = 100_000

/**
 * Makes the addresses of an import map relative to the page. Addresses of files that are missing from the bundle stay
 * unchanged.
 */
export function rewriteImportMap(raw: RawText, base: URL, path: string, map: BundleMap): string {
  const parsed = parseImportMap(decodeRaw(raw.text, raw.charset))
  if (!parsed) return raw.text
  const move = (address: string): string => {
    const url = URL.parse(address, base)
    if (!url || !/^https?:$/.test(url.protocol)) return address
    if (url.href.endsWith('/')) {
      const folder = map.findFolder(url)
      return folder === null ? address : dotted(referTo(path, folder, '') ?? '')
    }
    const destination = map.findFile(url)
    return destination.kind === 'inside' ? dotted(referTo(path, destination.path, address) ?? address) : address
  }
  let room = maxAddedNames
  const moveImports = (imports: unknown) => {
    const moved: [string, unknown][] = []
    for (const [name, address] of Object.entries(readObject(imports))) {
      const key = isAddress(name) ? move(name) : name
      moved.push([key, typeof address === 'string' ? move(address) : address])
      if (!name.endsWith('/') || typeof address !== 'string') continue
      // Adds an entry for each file whose name in the bundle differs from its name on the host.
      for (const { rest, path: to } of map.filesBelow(URL.parse(address, base)).slice(0, room)) {
        moved.push([key + rest, dotted(referTo(path, to, '') ?? '')])
        room -= 1
      }
    }
    return Object.fromEntries(moved)
  }
  const { integrity: _, ...rest } = parsed
  const changed = {
    ...rest,
    ...('imports' in parsed ? { imports: moveImports(parsed.imports) } : {}),
    ...('scopes' in parsed
      ? {
          scopes: Object.fromEntries(
            Object.entries(readObject(parsed.scopes)).map(([scope, imports]) => [move(scope), moveImports(imports)]),
          ),
        }
      : {}),
  }
  const text = JSON.stringify(changed).replaceAll('<', '\\u003c')
  return encodeRaw(text, raw.charset, code => `\\u${code.toString(16).padStart(4, '0')}`)
}

function isAddress(name: string): boolean {
  return /^(?:\.{0,2}\/|https?:)/i.test(name)
}

function dotted(reference: string): string {
  return /^\.{0,2}\/|^[a-z]+:/i.test(reference) ? reference : `./${reference}`
}
