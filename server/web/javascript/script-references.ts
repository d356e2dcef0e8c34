import { decodeEscapes, readScriptStrings, type ScriptString } from './script-strings.ts'

/** A literal in a script that is the address of a file loaded by the script. */
export interface ScriptReference {
  address: string
  /**
   * The use of the address.
   * - module: an import; the page's import map resolves bare names
   * - beside: `new URL(address, import.meta.url)`, `importScripts(address)`: relative to the script
   * - text: any literal with the absolute address of a script or style sheet; its use is unknown
   */
  kind: 'module' | 'beside' | 'text'
  /** Position inside the quotes. */
  start: number
  end: number
}

const absolute = /^https?:\/\/[^\s"'<>{}]+$/i
const loadable = /(?<!^https?:\/\/)\.(?:m?js|css)(?:\?|$)/i

/** Finds the references of a script, in order. */
export function scriptReferences(text: string): ScriptReference[] {
  if (!/\b(?:import|from|importScripts)\b|https?:/.test(text)) return []
  const found: ScriptReference[] = []
  let isImportScripts = false
  readScriptStrings(text, string => {
    const { start, end } = string
    const last = string.before(1)
    isImportScripts = last === '(' ? string.before(2) === 'importScripts' : isImportScripts && last === ','
    const kind = isModule(string, last) ? 'module' : isBeside(string, last, text) || isImportScripts ? 'beside' : null
    if (!kind && !mayBeAddress(text, start)) return
    const address = decodeEscapes(text.slice(start, end))
    if (kind && address !== '') found.push({ address, kind, start, end })
    else if (absolute.test(address) && loadable.test(address)) found.push({ address, kind: 'text', start, end })
  })
  return found
}

/** Decides whether the text begins with an h, or with an escape that may be an h. */
function mayBeAddress(text: string, start: number): boolean {
  const sign = text.charCodeAt(start) | 0x20
  return sign === 0x68 || text.charCodeAt(start) === 0x5c
}

function isModule(string: ScriptString, last: string): boolean {
  if (last === 'from' || last === 'import') return string.before(2) !== '.'
  return last === '(' && string.before(2) === 'import' && string.before(3) !== '.'
}

const besideItself = /\s*,\s*import\s*\.\s*meta\s*\.\s*url\s*\)/y

function isBeside(string: ScriptString, last: string, text: string): boolean {
  if (last !== '(' || string.before(2) !== 'URL' || string.before(3) !== 'new') return false
  besideItself.lastIndex = string.end + 1
  return besideItself.test(text)
}
