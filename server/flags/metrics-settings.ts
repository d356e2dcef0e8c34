import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import type { MetricsSettings } from '../config.ts'
import { describeUnreadable } from './read-given-file.ts'
import type { FlagsOf, Settings } from './setting.ts'

/** The settings of every program that serves, for those who watch it. */
export const metricsSettings = {
  metricsAddress: {
    flag: '--metrics-address <address>',
    env: 'QUIRE_METRICS_ADDRESS',
    what: 'port, or address and port, to serve /metrics on for Prometheus, such as 9464 or 10.0.0.5:9464; a port alone is open to this machine only (default: no metrics)',
    read: readMetricsAddress,
  },
  metricsTokenFile: {
    flag: '--metrics-token-file <file>',
    env: 'QUIRE_METRICS_TOKEN_FILE',
    what: 'file with the token that requests of the metrics must send as Authorization: Bearer (default: none is needed)',
    read: readToken,
  },
} as const satisfies Settings

/** Returns null if there are no metrics. */
export function readMetrics(flags: FlagsOf<typeof metricsSettings>): MetricsSettings | null {
  return flags.metricsAddress ? { ...flags.metricsAddress, token: flags.metricsTokenFile } : null
}

function readMetricsAddress(text: string): { host: string; port: number } {
  const [, bracketed, plain, digits] = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/]+)):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (port <= 65535) return { host: bracketed ?? plain ?? '127.0.0.1', port }
  throw new InvalidArgumentError(
    'It must be a port, or an address and a port, such as 9464, 0.0.0.0:9464 or [::1]:9464.',
  )
}

function readToken(file: string): string {
  let token: string
  try {
    token = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new InvalidArgumentError(`The file ${describeUnreadable(error)}`)
  }
  if (/^\S+$/.test(token)) return token
  throw new InvalidArgumentError('The file must have one token without spaces, such as that of: openssl rand -hex 32')
}
