import { parseArgs } from 'node:util'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { type Address, listenFlags, type Moving, movingFlags, nameVariable, readAddress, readMoving } from './flags.ts'

export interface MockCommand extends Address, Moving {
  isQuiet: boolean
}

const flags = { ...listenFlags, ...movingFlags }
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

Switch the scenario at http://127.0.0.1:4010/mock. For one request, use its query or its Prefer header:
  ?__scenario=slow&__delay=500&__error=503
  Prefer: scenario=slow, delay=500, error=503

Exit codes: 0 stopped, 1 failed, 2 wrong usage, such as an unknown scenario

Examples:
  quire-mock
  quire-mock --port 8080 --quiet
  quire-mock --scenario failing-exports --speed 10
  quire-mock --scenario mixed --seed 7 --step 1
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
  const moving = Object.keys(movingFlags).map(name => [name, read(name as FlagName)])
  return {
    ...readAddress(address),
    ...readMoving(Object.fromEntries(moving)),
    isQuiet: isQuiet ?? /^(1|true|yes|on)$/i.test(read('quiet') ?? ''),
  }
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
