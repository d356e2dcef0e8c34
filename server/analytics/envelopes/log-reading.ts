import type { OwnAgentList } from '../../tenancy/project.ts'
import type { Ipv6Prefix } from '../formats/address.ts'
import { formats } from '../formats/formats.ts'
import { createJsonFormat, parseJsonFields } from '../formats/json.ts'
import type { LogFormat } from '../formats/log-format.ts'
import { createPatternFormat, isPattern } from '../formats/pattern-format.ts'
import type { Envelope } from './envelope.ts'
import { envelopes } from './envelopes.ts'
import type { LogSettings } from './log-settings.ts'

/** Settings for reading a log, as options of `LogReader`. */
export interface LogReading {
  format: LogFormat | undefined
  envelope: Envelope | 'none' | undefined
  clientField: string | undefined
  trustedProxies: number | undefined
  ipv6Prefix: Ipv6Prefix | undefined
  markdownAsAi: boolean | undefined
  agents: OwnAgentList | undefined
}

/** Converts the settings to options of `LogReader`. */
export function toLogReading(settings: LogSettings): LogReading {
  const { format, envelope, jsonFields, timeZone, clientField, trustedProxies, ipv6Prefix, markdownAsAi, agents } =
    settings
  return {
    format: findFormat(format, jsonFields, timeZone),
    envelope: envelope === 'none' ? 'none' : envelopes.find(({ name }) => name === envelope),
    clientField,
    trustedProxies,
    ipv6Prefix,
    markdownAsAi,
    agents,
  }
}

function findFormat(format?: string, jsonFields?: string, timeZone?: string): LogFormat | undefined {
  if (jsonFields !== undefined) return createJsonFormat(parseJsonFields(jsonFields))
  if (format !== undefined && isPattern(format)) return createPatternFormat(format, timeZone)
  return formats.find(({ name }) => name === format)
}
