import type { LogFormat } from './log-format.ts'
import { W3cParser } from './w3c-parser.ts'

/**
 * W3C extended log files with any columns, as IIS writes them. A client field is the name of a column or of a request header:
 * `X-Forwarded-For` is the column `X-Forwarded-For` or `cs(X-Forwarded-For)`.
 * https://learn.microsoft.com/en-us/windows/win32/http/w3c-logging
 */
export const w3c: LogFormat = {
  name: 'w3c',
  hasHost: true,
  open: ({ clientField }) => new W3cParser({ clientField, mustHaveClient: true, isStrict: true }),
  recognizes: (bytes, start, end) => /^#Fields: *\S/.test(bytes.toString('latin1', start, Math.min(end, start + 64))),
}
