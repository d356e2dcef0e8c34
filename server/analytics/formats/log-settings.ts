import { OperatorError } from '../../base/operator-error.ts'
import { formats } from './formats.ts'
import { createJsonFormat, parseJsonFields } from './json.ts'
import type { LogFormat } from './log-format.ts'

/** What commander makes of the flags that say how a log is to be read. */
export interface LogFlags {
  format?: string
  /** Text that `parseJsonFields` takes. */
  jsonFields?: string
  clientField?: string
  trustedProxies?: number
}

/** How a log is to be read, as `LogReader` takes it. */
export interface LogSettings {
  format: LogFormat | undefined
  clientField: string | undefined
  trustedProxies: number | undefined
}

/**
 * @param prefix see `logOptions`
 * @throws {OperatorError} when flags do not go together.
 */
export function readLogFlags({ format, jsonFields, clientField, trustedProxies }: LogFlags, prefix = ''): LogSettings {
  if (jsonFields !== undefined && format !== undefined && format !== 'json') {
    throw new OperatorError(`--${prefix}json-fields goes with --${prefix}format json, not with ${format}.`, 2)
  }
  if (format === 'json' && jsonFields === undefined) {
    throw new OperatorError(`--${prefix}format json needs --${prefix}json-fields. See --help.`, 2)
  }
  if (trustedProxies !== undefined && clientField === undefined) {
    throw new OperatorError(
      `--${prefix}trusted-proxies needs --${prefix}client-field: it counts the addresses of that field.`,
      2,
    )
  }
  const known = formats.find(({ name }) => name === format)
  return {
    format: jsonFields === undefined ? known : createJsonFormat(parseJsonFields(jsonFields)),
    clientField,
    trustedProxies,
  }
}
