import { parseArgs } from 'node:util'
import { type CheckName, checkNames, checks } from './checks.ts'
import { defaultSettings, type Settings } from './settings.ts'

/** The command line was wrong: a sentence that names the flag. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface Command {
  settings: Settings
  /** The file of the HTML report; undefined = none. */
  report: string | undefined
  isJson: boolean
  /** Whether the second document is checked too. */
  hasExtensions: boolean
}

interface Flag {
  /** What the help shows for the value; undefined = the flag has none. */
  value?: string
  text: string
  fallback?: string
}

const { project, agentJob, domain, seed, maxRequests, maxStarts, timeoutMs, maxWaitMs } = defaultSettings

const flags = {
  url: { value: 'url', text: 'base URL of the server' },
  key: { value: 'key', text: 'admin API key with the scopes read and write' },
  'other-key': { value: 'key', text: 'key of another organization, to check that it sees nothing of this one' },
  'read-key': { value: 'key', text: 'key of the organization without the scope write' },
  'write-key': { value: 'key', text: 'key of the organization without the scope read' },
  project: { value: 'id', text: 'project with visitors', fallback: project },
  'agent-job': { value: 'id', text: 'agent job of the project', fallback: agentJob },
  domain: { value: 'domain', text: 'registered site, which is exported', fallback: domain },
  'export-job': { value: 'id', text: 'completed export job (default: the one that the run starts)' },
  extensions: {
    text: 'also check the second document, of what Quire adds: reports, agent jobs, visits, exports and webhooks',
  },
  seed: { value: 'number', text: 'seed of the generated requests', fallback: `${seed}` },
  'max-requests': {
    value: 'number',
    text: 'generated requests for each operation, half of them invalid',
    fallback: `${maxRequests}`,
  },
  'max-starts': {
    value: 'number',
    text: 'exports that the generated requests start at most',
    fallback: `${maxStarts}`,
  },
  timeout: { value: 'seconds', text: 'time for each answer', fallback: `${timeoutMs / 1000}` },
  'max-wait': {
    value: 'seconds',
    text: 'time for an export to end, and for a link to expire',
    fallback: `${maxWaitMs / 1000}`,
  },
  'exclude-checks': { value: 'names', text: 'checks to leave out, separated by commas' },
  report: { value: 'file', text: 'also write the report as an HTML page' },
  json: { text: 'print the report as JSON' },
  help: { text: 'print this help' },
} as const satisfies Record<string, Flag>

type FlagName = keyof typeof flags

/** The flags, such as `--url`. */
export const flagNames: readonly string[] = Object.keys(flags).map(name => `--${name}`)

const prefix = 'QUIRE_CONFORMANCE_'

/** Returns the variable of a flag, such as QUIRE_CONFORMANCE_OTHER_KEY. */
function nameVariable(flag: string): string {
  return `${prefix}${flag.toUpperCase().replaceAll('-', '_')}`
}

/**
 * Reads the command line. A flag that is not given is read from its variable.
 *
 * @returns undefined if the help was asked for
 * @throws {UsageError}
 */
export function readCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Command | undefined {
  const given = parse(args)
  if (given.help !== undefined) return undefined
  const read = (flag: FlagName): string | undefined => {
    const value = given[flag] ?? (env[nameVariable(flag)] || undefined)
    const { fallback } = flags[flag] as Flag
    return value ?? fallback
  }
  const required = (flag: FlagName): string => {
    const value = read(flag)
    if (!value) throw new UsageError(`--${flag} is missing. Set it, or the variable ${nameVariable(flag)}.`)
    return value
  }
  return {
    settings: {
      url: readUrl(required('url')),
      key: readKey('key', required('key')) as string,
      otherKey: readKey('other-key', read('other-key')),
      readKey: readKey('read-key', read('read-key')),
      writeKey: readKey('write-key', read('write-key')),
      project: required('project'),
      agentJob: required('agent-job'),
      domain: required('domain'),
      exportJob: read('export-job'),
      seed: readNumber('seed', required('seed'), 0, 2 ** 32 - 1),
      maxRequests: readNumber('max-requests', required('max-requests'), 0, 1_000_000),
      maxStarts: readNumber('max-starts', required('max-starts'), 1, 1000),
      timeoutMs: readNumber('timeout', required('timeout'), 1, 3600) * 1000,
      maxWaitMs: readNumber('max-wait', required('max-wait'), 0, 86_400) * 1000,
      excluded: readChecks(read('exclude-checks') ?? ''),
    },
    report: read('report'),
    isJson: readSwitch(read('json')),
    hasExtensions: readSwitch(read('extensions')),
  }
}

function parse(args: readonly string[]): Partial<Record<FlagName, string>> {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, { type: 'value' in flag ? 'string' : 'boolean' } as const]),
  )
  try {
    const { values } = parseArgs({ args: joinNegative(args), options })
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
  } catch (error) {
    const [, flag] = /'(--[\w-]+).*' argument is ambiguous/.exec((error as Error).message) ?? []
    if (flag) throw new UsageError(`${flag} needs a value. Write one that begins with a dash as ${flag}=VALUE.`)
    // Node's advice about arguments that begin with a dash would be a second sentence about something else.
    const [sentence = ''] = (error as Error).message.split(/\. |\n/)
    throw new UsageError(`${sentence.replace(/\.$/, '')}. See quire-conformance --help.`)
  }
}

/** Writes `--seed -1` as `--seed=-1`, because Node takes a number below zero for a flag. */
function joinNegative(args: readonly string[]): string[] {
  const isNumber = (arg = '') => /^-\d/.test(arg)
  const takesNext = (index: number) => /^--[a-z-]+$/.test(args[index] ?? '') && isNumber(args[index + 1])
  return args.flatMap((arg, index) => {
    if (isNumber(arg) && takesNext(index - 1)) return []
    return [takesNext(index) ? `${arg}=${args[index + 1]}` : arg]
  })
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('--url is not an http or https URL. Example: http://127.0.0.1:8787')
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new UsageError('--url has a user, a password, a query or a fragment. Remove it.')
  }
  return url.href.replace(/\/+$/, '')
}

function readKey(flag: FlagName, key: string | undefined): string | undefined {
  if (key === undefined || /^[!-~]+$/.test(key)) return key
  throw new UsageError(`--${flag} has a space or a character that is not ASCII. Copy the key again.`)
}

function readNumber(flag: FlagName, text: string, min: number, max: number): number {
  const number = Number(text)
  if (/^\d{1,10}$/.test(text) && number >= min && number <= max) return number
  throw new UsageError(`--${flag} is not a whole number from ${min} to ${max}.`)
}

function readChecks(text: string): CheckName[] {
  const names = text.split(',').flatMap(name => (name.trim() === '' ? [] : [name.trim()]))
  const unknown = names.find(name => !Object.hasOwn(checks, name))
  if (unknown === undefined) return names as CheckName[]
  throw new UsageError(`--exclude-checks names ${unknown}, which is not a check. Checks: ${checkNames.join(', ')}`)
}

function readSwitch(text: string | undefined): boolean {
  return text !== undefined && !['0', 'false', 'no', 'off'].includes(text.toLowerCase())
}

/** Writes the help. */
export function writeHelp(): string {
  const lines = Object.entries(flags as Record<string, Flag>).map(([name, { value, text, fallback }]) => {
    const shown = value === undefined ? `--${name}` : `--${name} <${value}>`
    const facts = [
      ...(fallback === undefined ? [] : [`default: ${fallback}`]),
      ...(name === 'help' ? [] : [`env: ${nameVariable(name)}`]),
    ]
    return `  ${shown.padEnd(26)} ${text}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
  })
  const width = Math.max(...checkNames.map(name => name.length))
  return `Usage: quire-conformance --url <url> --key <key> [flags]

Check that a server follows the administration API of Quire: the documented answers, then requests that are made from the document.
A run spends the analytics budget of the organization and starts a few exports. Use an organization for tests.
Keys and links are masked in the output.

Flags:
${lines.join('\n')}

Checks:
${Object.entries(checks)
  .map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
  .join('\n')}

Exit codes: 0 all checks passed, 1 a check failed or the server cannot be checked, 2 wrong usage

Examples:
  QUIRE_CONFORMANCE_KEY=... quire-conformance --url http://127.0.0.1:8787 --project prj_5b1c2d3e4f506172
  quire-conformance --url https://api.example.com --key "$KEY" --other-key "$OTHER_KEY" --report out.html
  quire-conformance --url http://127.0.0.1:8787 --key "$KEY" --seed 7 --max-requests 1000 --json
  quire-conformance --url http://127.0.0.1:8787 --key "$KEY" --exclude-checks rate_limit_enforcement,use_after_free
`
}
