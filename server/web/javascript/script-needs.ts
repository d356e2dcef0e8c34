import { scriptReferences } from './script-references.ts'

/**
 * A file that a script loads.
 * - file: a module or worker
 * - scripted: a file of another host that the script may add to the page
 * - name: a module name that an import map resolves
 */
export type ScriptNeed = { kind: 'file' | 'scripted'; url: string } | { kind: 'name'; name: string }

/** The place of a script. */
export interface ScriptPlace {
  /** The base of the script's relative addresses: the address of the script, or of its page if the script is inline. */
  url: URL
  /** Whether the script belongs to the site, as opposed to another host. */
  isOwn: boolean
  isInline: boolean
}

/**
 * Max length of a loader. A script that only loads other scripts is short; longer scripts contain text with example
 * addresses.
 */
const maxLoaderLength = 64 * 1024

/** Matches an import of a bare name or from another host, or any address of another host. */
const externalReference = /\b(?:from|import|importScripts)\s*(?:\(\s*)?["'`](?!\.{0,2}\/)|["'`]https?:\/\//

/** Reads the files that a script refers to by literals. */
export function scriptNeeds(text: string, { url, isOwn, isInline }: ScriptPlace): ScriptNeed[] {
  // Modules of the site itself are also found by their file names. Parsing all scripts of the site would take too long.
  if ((isOwn || isInline) && !externalReference.test(text)) return []
  return scriptReferences(text).flatMap(({ address, kind }): ScriptNeed[] => {
    const isName = kind === 'module' && !/^(?:\.{0,2}\/|[a-z][a-z+.-]*:)/i.test(address)
    if (isName) return [{ kind: 'name', name: address }]
    const needed = URL.parse(address, url)
    if (!needed || !/^https?:$/.test(needed.protocol)) return []
    if (kind !== 'text') return [{ kind: 'file', url: needed.href }]
    return isOwn && text.length <= maxLoaderLength ? [{ kind: 'scripted', url: needed.href }] : []
  })
}
