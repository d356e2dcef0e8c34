import { formats } from './formats.ts'
import { createJsonFormat, parseJsonFields } from './json.ts'
import type { LogFormat } from './log-format.ts'

/** How a log is to be read: plain data, which a thread can be given. */
export interface LogSettings {
  /** Name of the format; missing = recognized by its lines. */
  format?: string
  /** Text that `parseJsonFields` takes; goes with the format `json`. */
  jsonFields?: string
  clientField?: string
  trustedProxies?: number
}

/** How a log is to be read, as `LogReader` takes it. */
export interface LogReading {
  format: LogFormat | undefined
  clientField: string | undefined
  trustedProxies: number | undefined
}

/** Opens the format that the settings name. */
export function toLogReading({ format, jsonFields, clientField, trustedProxies }: LogSettings): LogReading {
  return {
    format:
      jsonFields === undefined
        ? formats.find(({ name }) => name === format)
        : createJsonFormat(parseJsonFields(jsonFields)),
    clientField,
    trustedProxies,
  }
}
