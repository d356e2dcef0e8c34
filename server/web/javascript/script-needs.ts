import { scriptReferences } from './script-references.ts'

/**
 * What a script names.
 * - file: a module or worker; scripted: a file of another host that it may give to the page by itself
 * - name: of a module, for an import map to say where it is
 */
export type ScriptNeed = { kind: 'file' | 'scripted'; url: string } | { kind: 'name'; name: string }

/** Where a script stands. */
export interface ScriptPlace {
  /** What its relative addresses are relative to: its own, or its page's when it stands in one. */
  url: URL
  /** A script of the site, as opposed to one of another host. */
  isOwn: boolean
  isInline: boolean
}

/** A script that only loads others is short; a longer one holds texts, in which addresses are examples. */
const maxLoaderLength = 64 * 1024

/** An import of a bare name or of another host, or an address of another host at all. */
const leavesItself = /\b(?:from|import|importScripts)\s*\(?\s*["'`](?!\.{0,2}\/)|["'`]https?:\/\//

/** Reads what a script names by literals. */
export function scriptNeeds(text: string, { url, isOwn, isInline }: ScriptPlace): ScriptNeed[] {
  // Modules of the site are found by their names, too; reading each of its scripts closely would take longer than all else.
  if ((isOwn || isInline) && !leavesItself.test(text)) return []
  return scriptReferences(text).flatMap(({ address, kind }): ScriptNeed[] => {
    const isName = kind === 'module' && !/^(?:\.{0,2}\/|[a-z][a-z+.-]*:)/i.test(address)
    if (isName) return [{ kind: 'name', name: address }]
    const needed = URL.parse(address, url)
    if (!needed || !/^https?:$/.test(needed.protocol)) return []
    if (kind !== 'text') return [{ kind: 'file', url: needed.href }]
    return isOwn && text.length <= maxLoaderLength ? [{ kind: 'scripted', url: needed.href }] : []
  })
}
