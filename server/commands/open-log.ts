import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '../config.ts'

/** Log lines that wait until the disk has room; further lines are dropped. */
const maxUnwrittenBytes = 1024 ** 2

/**
 * Opens the log of a server on standard output, with times in UTC (RFC 3339): text for people on a terminal, else JSON lines.
 */
export async function openLog({ logLevel: level, logStyle }: Pick<Config, 'logLevel' | 'logStyle'>): Promise<Logger> {
  const settings = { level, timestamp: pino.stdTimeFunctions.isoTime }
  const style = logStyle ?? (process.stdout.isTTY ? 'pretty' : 'json')
  return pino(settings, style === 'json' ? openOutput() : await openPrettyStream())
}

/**
 * Opens standard output. When it is a file on a full disk, lines are dropped. Without a listener for the error, pino would block
 * the process forever.
 */
function openOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: maxUnwrittenBytes })
  output.on('error', (error: NodeJS.ErrnoException) => {
    // Nobody reads the output any more.
    if (error.code === 'EPIPE') output.write = () => true
  })
  return output
}

/** Loaded only if it is needed, to start faster. */
async function openPrettyStream(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty')
  const translateTime = "UTC:yyyy-mm-dd'T'HH:MM:ss.l'Z'"
  const stream = pretty({ colorize: hasColors(), ignore: 'pid,hostname', singleLine: true, sync: true, translateTime })
  return { write: line => void stream.write(escapeControls(line)) }
}

/** See https://no-color.org */
function hasColors(): boolean {
  return process.stdout.isTTY && !process.env.NO_COLOR
}

/**
 * Shows control characters instead of sending them to the terminal, which would obey them: an error message may quote what a
 * site sent. Line ends and tabs, such as those of a stack trace, stay.
 *
 * @param line a JSON line
 */
export function escapeControls(line: string): string {
  return line
    .replaceAll(/\\(u(?:00[01][0-9a-f]|007f)|[bfr])|\\./gi, (escaped, control) => (control ? `\\${escaped}` : escaped))
    .replaceAll(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, character => `\\\\u${hex(character)}`)
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0')
}
