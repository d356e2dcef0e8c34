import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { checkRemovalRules, joinRules, noRemovalRules, parseRemovalRules } from '../products/removal-rules.ts'
import type { RemovalRules } from '../tenancy/removal-rules.ts'

export interface RemovalFlags {
  removeSelector?: string[]
  removeScript?: string[]
  keep?: string[]
  exclude?: string[]
  featuresFile?: string
}

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

/**
 * Adds the flags for removing and keeping content beyond the known products, and for excluding pages.
 *
 * @param hasVariables true = each flag has an environment variable. Commands that store rules have none: the variables of an
 *   export would change the stored rules.
 */
export function addRemovalOptions(command: Command, { hasVariables }: { hasVariables: boolean }): Command {
  const withVariable = (option: Option, name: string) => (hasVariables ? option.env(name) : option)
  const lines = (text: string, before: string[] | undefined) => [
    ...(before ?? []),
    ...text
      .split('\n')
      .map(line => line.trim())
      .filter(Boolean),
  ]
  const list = (flag: string, what: string, env: string) => withVariable(new Option(flag, what), env).argParser(lines)
  return command
    .addOption(
      list('--remove-selector <css>', 'remove these elements; may be repeated', 'QUIRE_EXPORT_REMOVE_SELECTORS'),
    )
    .addOption(
      list('--remove-script <pattern>', 'remove these scripts; may be repeated', 'QUIRE_EXPORT_REMOVE_SCRIPTS'),
    )
    .addOption(
      list(
        '--keep <what>',
        'keep content that would be removed as a known product; may be repeated',
        'QUIRE_EXPORT_KEEP',
      ),
    )
    .addOption(list('--exclude <pattern>', 'leave these pages out; may be repeated', 'QUIRE_EXPORT_EXCLUDE'))
    .addOption(
      withVariable(
        new Option('--features-file <file>', 'read these rules and further products from a JSON file'),
        'QUIRE_EXPORT_FEATURES_FILE',
      ),
    )
}

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
  return joinRules(fromFlags, featuresFile === undefined ? null : parseRemovalRules(readText(featuresFile)))
}

const flagOf = {
  removeSelectors: '--remove-selector',
  removeScripts: '--remove-script',
  keep: '--keep',
  excludePages: '--exclude',
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

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`--features-file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, 2)
  }
}
