import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Environment, findRun } from './find-run.ts'
import type { Receiver, Report } from './send-report.ts'

/** A mistake in the command line. */
export class UsageError extends Error {}

export interface ReportCommand {
  verb: 'start' | 'complete' | 'fail' | 'run'
  /** The command that `run` runs. */
  program: string[]
  receiver: Receiver
  report: Omit<Report, 'status' | 'occurredAt'>
  isJson: boolean
  /** Whether `run` fails if a report does not arrive. */
  isStrict: boolean
}

const flags = {
  url: { env: 'QUIRE_URL', what: 'address of the server' },
  'key-file': { env: 'QUIRE_API_KEY_FILE', what: 'file with the API key, instead of QUIRE_API_KEY' },
  project: { env: 'QUIRE_PROJECT', what: 'id of the project' },
  id: { env: 'QUIRE_JOB_ID', what: 'id of the job (default: from the variables of the CI)' },
  model: { env: 'QUIRE_MODEL', what: 'model that the agent uses (default: unknown)' },
  repository: { env: 'QUIRE_REPOSITORY', what: 'URL of the repository (default: from the CI)' },
  ref: { env: 'QUIRE_REF', what: 'branch (default: from the CI)' },
  'pr-link': { env: 'QUIRE_PR_LINK', what: 'URL of the pull request, with complete and run (default: from the CI)' },
} as const

/** Variables that the command reads, and one that it sets for the command of `run`. */
export const reportVariables = [
  ...Object.values(flags).map(({ env }) => env),
  ...['QUIRE_API_KEY', 'QUIRE_STRICT', 'QUIRE_JSON', 'QUIRE_PR_LINK_FILE'],
]

export const help = `Usage: quire-report start|complete|fail [options]
       quire-report run [options] -- COMMAND [ARGUMENTS]

Report the job of a writing agent to Quire. The API key is read from QUIRE_API_KEY; one with the scope ingest is enough.

${Object.entries(flags)
  .map(([name, { env, what }]) => `  --${`${name} <text>`.padEnd(20)} ${what} (env: ${env})`)
  .join('\n')}
  --strict               run fails if a report does not arrive (env: QUIRE_STRICT)
  --json                 print the job as JSON (env: QUIRE_JSON)
  --help                 print this help

run reports the job as active, runs the command, and reports completed if its exit code is 0 and failed otherwise. It ends with that exit
code. The command may write the URL of a pull request that it opened to the file that QUIRE_PR_LINK_FILE names. It gets no QUIRE_API_KEY.

Reports are sent again for a minute while the server cannot be reached. The same report twice changes nothing.

Exit codes: 0 done, 1 failed, 2 wrong usage; with run, that of the command

Examples:
  quire-report start --url https://quire.example.com --project prj_5b1c2d3e4f506172 --model writer-2
  quire-report complete --pr-link https://github.com/acme/docs/pull/42
  quire-report run -- npm run write-docs
`

/** @returns undefined if help is asked for. */
export function readOptions(args: readonly string[], env: Environment): ReportCommand | undefined {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const { values, positionals } = parse(own)
  if (values.help) return undefined
  const [verb, ...surplus] = positionals
  if (verb !== 'start' && verb !== 'complete' && verb !== 'fail' && verb !== 'run') {
    throw new UsageError(
      `${verb === undefined ? 'A verb is missing' : `${verb} is not a verb`}. Use start, complete, fail or run.`,
    )
  }
  if (surplus.length > 0) throw new UsageError(`${surplus[0]} is one word too many. Put the command of run after --.`)
  const program = end === -1 ? [] : args.slice(end + 1)
  if (verb === 'run' && program.length === 0)
    throw new UsageError('The command is missing. Example: quire-report run -- npm test')
  const read = (name: keyof typeof flags) => values[name] ?? (env[flags[name].env] || undefined)
  const run = findRun(env)
  if (values['pr-link'] !== undefined && (verb === 'start' || verb === 'fail'))
    throw new UsageError('--pr-link belongs to complete and run.')
  const isStrict = values.strict ?? isOn(env.QUIRE_STRICT)
  const key = readKey(read('key-file'), env.QUIRE_API_KEY)
  const repository = read('repository') ?? run.repository
  if (verb === 'start' || verb === 'run') need(repository, '--repository or QUIRE_REPOSITORY')
  const ref = read('ref') ?? run.ref
  const prLink = read('pr-link') ?? run.prLink
  if (prLink !== undefined && !isWebUrl(prLink)) throw new UsageError('--pr-link must be a URL with http or https.')
  return {
    verb,
    program,
    receiver: {
      url: readUrl(need(read('url'), '--url or QUIRE_URL')),
      // A CI job of a fork gets no secrets, and still has to run its command.
      key: verb === 'run' && !isStrict ? key : need(key, 'QUIRE_API_KEY'),
      project: need(read('project'), '--project or QUIRE_PROJECT'),
      id: need(read('id') ?? run.id, '--id or QUIRE_JOB_ID'),
    },
    report: {
      ...(repository !== undefined && { source: { repository, ...(ref !== undefined && { ref }) } }),
      model: read('model') ?? 'unknown',
      ...(prLink !== undefined && { prLink }),
    },
    isJson: values.json ?? isOn(env.QUIRE_JSON),
    isStrict,
  }
}

function parse(args: readonly string[]) {
  const texts = Object.fromEntries(Object.keys(flags).map(name => [name, { type: 'string' as const }]))
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...texts, strict: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
    })
    type Values = Partial<Record<keyof typeof flags, string>> & Partial<Record<'strict' | 'json' | 'help', boolean>>
    return { values: values as Values, positionals }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function need(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UsageError(`${name} is missing. See: quire-report --help`)
  return value
}

function readUrl(text: string): string {
  if (isWebUrl(text)) return text.replace(/\/+$/, '')
  throw new UsageError('--url must begin with http:// or https://, without a user and a password.')
}

/** Returns whether a text is a URL with http or https, and without a user and a password. */
export function isWebUrl(text: string): boolean {
  if (!URL.canParse(text) || /\s/.test(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username + password === ''
}

/** Returns an empty text if there is no key. */
function readKey(file: string | undefined, fromEnv = ''): string {
  let key = fromEnv.trim()
  try {
    if (file !== undefined) key = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`--key-file ${file} cannot be read: ${(error as Error).message}`)
  }
  // fetch repeats a header that it refuses in its error.
  if (/[^\x21-\x7e]/.test(key)) throw new UsageError('The API key has a character that no key has. Copy it again.')
  return key
}

function isOn(text: string | undefined): boolean {
  return /^(1|true|yes|on)$/i.test(text ?? '')
}
