import { formats } from '../formats/formats.ts'
import { type LogFormat, LogFormatError } from '../formats/log-format.ts'

const namesWithHost = formats
  .filter(({ hasHost }) => hasHost)
  .map(({ name }) => name)
  .join(', ')

/** @throws {LogFormatError} when the lines of a format do not contain the host. */
export function requireHost(format: LogFormat): void {
  if (format.hasHost) return
  const remedy =
    format.name === 'json' ? 'add host=PATH to its fields' : `use a format with the host (${namesWithHost})`
  throw new LogFormatError(
    `Lines in the format ${format.name} do not contain the host. Name one project for all lines, or ${remedy}.`,
  )
}
