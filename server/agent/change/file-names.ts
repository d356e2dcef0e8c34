import { foldName } from '../../base/path-names.ts'

/**
 * Files that set up coding agents, in lower case. Text in them is an instruction, and some of them start programs, so that a
 * repository could take over the agent, or an agent the next one.
 */
const agentFiles = new Set([
  ...[
    'agents.md',
    'agent.md',
    'agents.override.md',
    'claude.md',
    'claude.local.md',
    'gemini.md',
    'qwen.md',
    'crush.md',
    'warp.md',
  ],
  ...['context.md', 'opencode.json', 'opencode.jsonc', 'crush.json', 'mcp.json'],
])

/** A file system refuses longer names. */
const maxPartBytes = 255
const maxPathBytes = 1000
/** Deeper folders are no documentation, and each open folder of a walk is a descriptor. */
const maxDepth = 40

/** Characters that HFS+ ignores in names: `.g\u200cit` is .git there. Names with them also hide what they are from a reader. */
const ignoredCharacters = /[\u200c-\u200f\u202a-\u202e\u2060-\u2069\u206a-\u206f\ufeff]/u
/** Windows ignores what follows these, and reads `:` as the start of a stream. */
const foreignCharacters = /[\p{Cc}\ufffd\\:*?"<>|]/u

/**
 * Says why agents neither see nor change a path; undefined if they may. These files stay in the repository as they are.
 *
 * @param path with slashes, below the root of the repository.
 */
export function whyForbidden(path: string): string | undefined {
  if (Buffer.byteLength(path) > maxPathBytes) return 'its name is too long'
  const parts = path.split('/')
  if (parts.length > maxDepth) return 'its folders are nested too deeply'
  for (const part of parts) {
    if (part === '' || Buffer.byteLength(part) > maxPartBytes) return 'its name is empty or too long'
    if (foreignCharacters.test(part) || ignoredCharacters.test(part))
      return 'its name has a character that is not allowed'
    const name = part.normalize('NFKC').toLowerCase()
    if (name.startsWith('.')) return 'its name begins with a dot'
    if (/[. ]$/.test(part)) return 'its name ends with a dot or space'
    // The short names of NTFS: git~1 is .git, and gitmod~1 or gi7eba~1 may be .gitmodules.
    if (/^gi[a-z0-9]{1,4}~\d/.test(name)) return 'it could be taken for .git'
    if (agentFiles.has(name)) return 'it is a configuration of coding agents'
  }
  return undefined
}

/** Whether a path is in one of the folders; no folders = the whole repository. */
export function isInFolders(path: string, folders: readonly string[]): boolean {
  return folders.length === 0 || folders.some(folder => path.startsWith(`${folder}/`))
}

/**
 * Finds names that some file systems cannot tell apart, such as Guide.md and guide.md. A path is one of them if it, or a folder
 * in it, has a second spelling.
 */
export class Spellings {
  readonly #spellings = new Map<string, string>()
  readonly #ambiguous = new Set<string>()

  constructor(paths: Iterable<string>) {
    for (const path of paths) this.#add(path)
  }

  #add(path: string): void {
    for (const prefix of listPrefixes(path)) {
      const folded = foldName(prefix)
      const known = this.#spellings.get(folded)
      if (known === undefined) this.#spellings.set(folded, prefix)
      else if (known !== prefix) this.#ambiguous.add(folded)
    }
  }

  isAmbiguous(path: string): boolean {
    return this.#ambiguous.size > 0 && listPrefixes(path).some(prefix => this.#ambiguous.has(foldName(prefix)))
  }
}

/** Lists a path and its folders: `a/b/c` has `a`, `a/b` and `a/b/c`. */
export function listPrefixes(path: string): string[] {
  const prefixes: string[] = []
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) prefixes.push(path.slice(0, end))
  prefixes.push(path)
  return prefixes
}
