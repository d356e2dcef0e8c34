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
  /** The base of its relative addresses: its own address, or that of its page when it is inline. */
  url: URL
  /** A script of the site, as opposed to one of another host. */
  isOwn: boolean
  isInline: boolean
}

/** A script that only loads others is short; longer ones contain text, where addresses are examples. */
const maxLoaderLength = 64 * 1024

/** An import of a bare name or of another host, or any address of another host. */
const externalReference = /\b(?:from|import|importScripts)\s*\(?\s*["'`](?!\.{0,2}\/)|["'`]https?:\/\//

/** Reads the files that a script names by literals. */
export function scriptNeeds(text: string, { url, isOwn, isInline }: ScriptPlace): ScriptNeed[] {
  // Modules of the site itself are found by their file names as well. Parsing all its scripts would take too long.
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
