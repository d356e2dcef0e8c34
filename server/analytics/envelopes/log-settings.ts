import type { OwnAgent } from '../../tenancy/project.ts'
import type { Ipv6Prefix } from '../formats/address.ts'
import { formats } from '../formats/formats.ts'
import { createJsonFormat, parseJsonFields } from '../formats/json.ts'
import type { LogFormat } from '../formats/log-format.ts'
import { createPatternFormat, isPattern } from '../formats/pattern-format.ts'
import type { Envelope } from './envelope.ts'
import { envelopes } from './envelopes.ts'

/** Settings for reading a log, as plain data that can be passed to a thread. */
export interface LogSettings {
  /** Name of the format or a pattern, see `createPatternFormat`; missing = detected from the lines. */
  format?: string
  /** Name of the envelope, or `none`; missing = detected from the lines. */
  envelope?: string
  /** Input of `parseJsonFields`; only for the format `json`. */
  jsonFields?: string
  /** Of the dates of HAProxy, such as `Europe/Berlin`; missing = UTC. */
  timeZone?: string
  clientField?: string
  trustedProxies?: number
  ipv6Prefix?: Ipv6Prefix
  /** Whether a Markdown view by a program that no list names counts as AI; otherwise it counts as neither. */
  markdownAsAi?: boolean
  /** Asked before the built-in agents, in all projects of the log. */
  agents?: { source: string; agents: readonly OwnAgent[] }
}

/** Settings for reading a log, as options of `LogReader`. */
export interface LogReading {
  format: LogFormat | undefined
  envelope: Envelope | 'none' | undefined
  clientField: string | undefined
  trustedProxies: number | undefined
  ipv6Prefix: Ipv6Prefix | undefined
  markdownAsAi: boolean | undefined
  agents: LogSettings['agents'] | undefined
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
