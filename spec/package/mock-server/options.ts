import { parseArgs } from 'node:util'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { isWebUrl } from '../report/options.ts'
import { type Address, listenFlags, type Moving, movingFlags, nameVariable, readAddress, readMoving } from './flags.ts'

export interface MockCommand extends Address {
  isQuiet: boolean
  source: MockSource
}

/** Where the answers come from. */
export type MockSource =
  | ({ kind: 'moving' } & Moving)
  /** `url` has no slash at its end. */
  | { kind: 'record'; url: string; file: string }
  | { kind: 'replay'; file: string }

const recordingFlags = {
  record: { value: 'url', text: 'pass requests on to this server, and record its answers' },
  to: { value: 'file', text: 'with --record: the file to which answers are added, without keys and signatures' },
  replay: { value: 'file', text: 'repeat recorded answers, by method, path and query' },
} as const
const flags = { ...listenFlags, ...movingFlags, ...recordingFlags }
type FlagName = keyof typeof flags

function describeFlag(name: string, flag: { value?: string; text: string; fallback?: string }): string {
  const shown = flag.value === undefined ? name : `${name} <${flag.value}>`
  const fallback = flag.fallback === undefined ? '' : `default: ${flag.fallback}, `
  return `  --${shown.padEnd(19)} ${flag.text} (${fallback}env: ${nameVariable(name)})`
}

export const help = `Usage: quire-mock [options]

Serve a mock of the administration API that keeps state, without a server and a database. Any Bearer key is accepted.

${Object.entries({ ...flags, scenario: { ...flags.scenario, fallback: 'usual' } })
  .map(([name, flag]) => describeFlag(name, flag))
  .join('\n')}
  --help                print this help

--record keeps no header of a request, and removes keys, secrets of webhooks and signatures of links. The names, addresses and texts of your
project stay in the file: read it before you share it. --replay answers in the order of the recording, and then repeats the last answer.

Switch the scenario at http://127.0.0.1:4010/mock. For one request, use its query or its Prefer header:
  ?__scenario=slow&__delay=500&__error=503
  Prefer: scenario=slow, delay=500, error=503

Exit codes: 0 stopped, 1 failed, 2 wrong usage, such as an unknown scenario

Examples:
  quire-mock
  quire-mock --port 8080 --quiet
  quire-mock --scenario failing-exports --speed 10
  quire-mock --scenario mixed --seed 7 --step 1
  quire-mock --record https://quire.example.com --to answers.jsonl
  quire-mock --replay answers.jsonl
  curl -i -H 'Authorization: Bearer any' 'http://127.0.0.1:4010/v1/analytics/any/visitors?limit=2'
`

/**
 * Reads the command line. A flag that is not given is read from its variable.
 *
 * @returns undefined if help is asked for
 * @throws {OperatorError} with exit code 2 for wrong usage
 */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): MockCommand | undefined {
  const { values, origins, isQuiet, isHelp } = parse(args)
  if (isHelp) return undefined
  const read = (name: FlagName) => values[name] ?? (env[nameVariable(name)] || undefined)
  const fromEnv = read('cors-origin')
  const address = {
    port: read('port') ?? listenFlags.port.fallback,
    host: read('host') ?? listenFlags.host.fallback,
    origins: origins ?? (fromEnv === undefined ? undefined : [fromEnv]),
  }
  return {
    ...readAddress(address),
    source: readSource(read),
    isQuiet: isQuiet ?? /^(1|true|yes|on)$/i.test(read('quiet') ?? ''),
  }
}

function readSource(read: (name: FlagName) => string | undefined): MockSource {
  const [url, file, replayed] = [read('record'), read('to'), read('replay')]
  const moving = Object.keys(movingFlags).map(name => [name, read(name as FlagName)] as const)
  if (url === undefined && replayed === undefined) {
    if (file !== undefined)
      throw new OperatorError('--to needs --record. Leave it out, or name the server to record.', 2)
    return { kind: 'moving', ...readMoving(Object.fromEntries(moving)) }
  }
  const mode = url === undefined ? '--replay' : '--record'
  const surplus = moving.find(([, value]) => value !== undefined)?.[0]
  if (surplus !== undefined)
    throw new OperatorError(`--${surplus} has no effect with ${mode}. Leave one of them out.`, 2)
  if (replayed !== undefined) {
    if (url === undefined && file === undefined) return { kind: 'replay', file: replayed }
    throw new OperatorError('--replay excludes --record and --to. Leave one of them out.', 2)
  }
  if (url === undefined || !isWebUrl(url) || /[?#]/.test(url)) {
    throw new OperatorError('--record must be a URL with http or https, without a user, a password and a query.', 2)
  }
  if (file === undefined) throw new OperatorError('--record needs a file. Example: --to answers.jsonl', 2)
  return { kind: 'record', url: url.replace(/\/+$/, ''), file }
}

function parse(args: readonly string[]) {
  const texts = Object.entries(flags).filter(([name]) => name !== 'quiet' && name !== 'cors-origin')
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...Object.fromEntries(texts.map(([name]) => [name, { type: 'string' as const }])),
        'cors-origin': { type: 'string', multiple: true },
        quiet: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const { 'cors-origin': origins, quiet: isQuiet, help: isHelp, ...rest } = values
    return { values: rest as Partial<Record<FlagName, string>>, origins, isQuiet, isHelp }
  } catch (error) {
    throw new OperatorError(`${(error as Error).message.split('. ')[0]}. See: quire-mock --help`, 2)
  }
}
