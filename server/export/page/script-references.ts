import { type ScriptString, scriptStrings } from './script-strings.ts'

/** An address that a script loads something from, as a literal. */
export interface ScriptReference {
  address: string
  /**
   * - module: an import; a bare name is looked up in the page's import map
   * - beside: `new URL(address, import.meta.url)`, `importScripts(address)`: relative to the script
   * - text: a literal that is an absolute address of a script or style sheet; what becomes of it is not known
   */
  kind: 'module' | 'beside' | 'text'
  /** Inside of the quotes. */
  start: number
  end: number
}

const loadable = /^https?:\/\/[^\s"'<>{}]+\.(?:m?js|css)(?:\?[^\s"'<>{}]*)?$/i

/** The references of a script, in their order. */
export function scriptReferences(text: string): ScriptReference[] {
  if (!/\b(?:import|from|importScripts)\b|https?:/.test(text)) return []
  const found: ScriptReference[] = []
  let isImportScripts = false
  for (const string of scriptStrings(text)) {
    const { value: address, start, end, before } = string
    const last = before.at(-1) ?? ''
    isImportScripts = last === '(' ? before.at(-2) === 'importScripts' : isImportScripts && last === ','
    const kind = isModule(string) ? 'module' : isBeside(string, text) || isImportScripts ? 'beside' : null
    if (kind && address !== '') found.push({ address, kind, start, end })
    else if (loadable.test(address)) found.push({ address, kind: 'text', start, end })
  }
  return found
}

function isModule({ before }: ScriptString): boolean {
  const last = before.at(-1)
  const isMember = (name: string | undefined) => name === '.'
  if (last === 'from') return !isMember(before.at(-2))
  if (last === 'import') return !isMember(before.at(-2))
  return last === '(' && before.at(-2) === 'import' && !isMember(before.at(-3))
}

const besideItself = /\s*,\s*import\s*\.\s*meta\s*\.\s*url\s*\)/y

function isBeside({ before, after }: ScriptString, text: string): boolean {
  if (before.at(-1) !== '(' || before.at(-2) !== 'URL' || before.at(-3) !== 'new') return false
  besideItself.lastIndex = after
  return besideItself.test(text)
}
