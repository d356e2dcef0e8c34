import { OperatorError } from '../base/operator-error.ts'
import { checkRemovalRules, joinRules, noRemovalRules, parseRemovalRules } from '../products/removal-rules.ts'
import type { RemovalRules } from '../tenancy/removal-rules.ts'
import { parseAllowedOrigin } from '../tenancy/site.ts'
import { readGivenFile } from './read-given-file.ts'
import { type FlagsOf, nonEmpty, type Setting, type Settings } from './setting.ts'

/** Explains the flags in the help of the commands that have them. */
export const removalHelp = `If a feature (search, assistant, analytics, playground) is off, the third-party products that provide it are removed.
Further rules:
  --remove-selector   one element by tag, custom-element, #id, .class, [attr] or [attr=value], or combined without
                      spaces: div.ask
  --remove-script     host/path of a script, frame or style, with * for anything: cdn.example.com/ask/*, */ask.js,
                      /js/ask.js; or inline:TEXT for inline scripts that contain the text
  --keep              content wrongly removed as a product: a name from the report, a selector, or host/path
  --exclude           pages that are not exported, as a path or host/path with * for anything: /internal/*,
                      */drafts/*; links to them lead to the public site
  --features-file     these rules in a JSON file: {"removeSelectors": [], "removeScripts": [], "keep": [], "products":
                      [{"name": "Ask", "feature": "assistant", "selectors": ["#ask"], "scripts": ["*/ask.js"]}],
                      "excludePages": []}. Products are removed only if their feature is off; the other rules
                      always apply.`

/** The setting that names the file of a recorded login. */
export function sessionFile(what: string) {
  const read = nonEmpty('a file, such as session.json')
  return { flag: '--session <file>', env: 'QUIRE_EXPORT_SESSION', what, read } as const satisfies Setting
}

/**
 * The settings for removing and keeping content beyond the known products, and for excluding pages. Commands that store rules
 * take them without variables: the variables of an export would change the stored rules.
 */
export const removalSettings = {
  removeSelector: {
    flag: '--remove-selector <css>',
    env: 'QUIRE_EXPORT_REMOVE_SELECTORS',
    what: 'remove these elements; may be repeated',
    read: addLines,
  },
  removeScript: {
    flag: '--remove-script <pattern>',
    env: 'QUIRE_EXPORT_REMOVE_SCRIPTS',
    what: 'remove these scripts; may be repeated',
    read: addLines,
  },
  keep: {
    flag: '--keep <what>',
    env: 'QUIRE_EXPORT_KEEP',
    what: 'keep content that would be removed as a known product; may be repeated',
    read: addLines,
  },
  exclude: {
    flag: '--exclude <pattern>',
    env: 'QUIRE_EXPORT_EXCLUDE',
    what: 'leave these pages out; may be repeated',
    read: addLines,
  },
  featuresFile: {
    flag: '--features-file <file>',
    env: 'QUIRE_EXPORT_FEATURES_FILE',
    what: 'read these rules and further products from a JSON file',
  },
} as const satisfies Settings

export type RemovalFlags = FlagsOf<typeof removalSettings>

/** For every command that exports a site or registers one. */
export const allowOrigin = {
  flag: '--allow-origin <url>',
  what: 'let pages load files from this private origin too, such as http://10.0.0.7:9000; may be repeated',
  read: addAllowedOrigins,
} as const

/**
 * Converts the flags to rules; null if there are none.
 *
 * @throws {OperatorError} wrong usage, when a rule or the file cannot be read.
 */
export function readRemovalFlags(flags: RemovalFlags): RemovalRules | null {
  const { featuresFile } = flags
  const lists = {
    removeSelectors: readList(flags.removeSelector, flagOf.removeSelectors),
    removeScripts: readList(flags.removeScript, flagOf.removeScripts),
    keep: readList(flags.keep, flagOf.keep),
    excludePages: readList(flags.exclude, flagOf.excludePages),
  }
  const isGiven = Object.values(lists).some(list => list.length > 0)
  const fromFlags = isGiven ? checkFlags({ ...noRemovalRules, ...lists }) : null
  if (featuresFile === undefined) return joinRules(fromFlags, null)
  const text = readGivenFile(featuresFile, `--features-file ${featuresFile}`)
  return joinRules(fromFlags, parseRemovalRules(text))
}

const flagOf = {
  removeSelectors: '--remove-selector',
  removeScripts: '--remove-script',
  keep: '--keep',
  excludePages: '--exclude',
}

function addLines(text: string, before: string[] = []): string[] {
  const lines = text.split('\n').map(line => line.trim())
  return [...before, ...lines.filter(Boolean)]
}

/** Refuses empty values: they come from unset shell variables, and the export would contain content that should be removed. */
function readList(texts: string[] | undefined, flag: string): string[] {
  if (texts?.length === 0) throw new OperatorError(`${flag} is empty. Give it a value, or leave it out.`, 2)
  return texts ?? []
}

/** @throws {OperatorError} naming the flag of an invalid rule. */
function checkFlags(rules: RemovalRules): RemovalRules {
  try {
    return checkRemovalRules(rules)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const flags = new Map(Object.entries(flagOf))
    throw new OperatorError(
      error.message.replace(/^\w+/, field => flags.get(field) ?? field),
      2,
    )
  }
}

/** Reads the values at once, so that `quire doctor` finds a variable that cannot be used. The variable may have several. */
function addAllowedOrigins(text: string, before: string[] = []): string[] {
  const texts = text.split(/\s+/).filter(Boolean)
  if (texts.length === 0)
    throw new OperatorError(
      '--allow-origin is empty. Give an origin, such as http://10.0.0.7:9000, or leave it out.',
      2,
    )
  return readAllowedOrigins([...before, ...texts], '--allow-origin')
}

/**
 * Returns the origins, sorted and without repetitions.
 *
 * @param what names the flag or argument in messages.
 * @throws {OperatorError} wrong usage.
 */
export function readAllowedOrigins(texts: readonly string[], what: string): string[] {
  const origins = texts.map(text => {
    const origin = parseAllowedOrigin(text)
    if (origin !== undefined) return origin
    throw new OperatorError(
      `${what} ${text} must be scheme, host and port, without user, path, query and wildcard. Example: http://10.0.0.7:9000`,
      2,
    )
  })
  return [...new Set(origins)].sort()
}
