import { formats } from './formats.ts'
import { createJsonFormat, parseJsonFields } from './json.ts'
import type { LogFormat } from './log-format.ts'

/** Settings for reading a log, as plain data that can be passed to a thread. */
export interface LogSettings {
  /** Name of the format; missing = detected from the lines. */
  format?: string
  /** Input of `parseJsonFields`; only for the format `json`. */
  jsonFields?: string
  clientField?: string
  trustedProxies?: number
  /** Whether a Markdown view by a program that no list names counts as AI; otherwise it counts as neither. */
  markdownAsAi?: boolean
}

/** Settings for reading a log, as options of `LogReader`. */
export interface LogReading {
  format: LogFormat | undefined
  clientField: string | undefined
  trustedProxies: number | undefined
  markdownAsAi: boolean | undefined
}

/** Converts the settings to options of `LogReader`. */
export function toLogReading(settings: LogSettings): LogReading {
  const { format, jsonFields, clientField, trustedProxies, markdownAsAi } = settings
  return {
    format:
      jsonFields === undefined
        ? formats.find(({ name }) => name === format)
        : createJsonFormat(parseJsonFields(jsonFields)),
    clientField,
    trustedProxies,
    markdownAsAi,
  }
}
