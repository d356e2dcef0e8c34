import { isOtlpRecord } from '../formats/collectors.ts'
import { findField, type JsonEntry, parseEntry } from '../formats/json-line.ts'
import type { Envelope } from './envelope.ts'

/** Creates an envelope of one JSON object per line. `find` returns the content of an object; undefined = it is another object. */
function createJsonEnvelope(
  { name, title }: Pick<Envelope, 'name' | 'title'>,
  find: (entry: JsonEntry) => string | Buffer | undefined,
): Envelope {
  return {
    name,
    title,
    open() {
      let text: Buffer | undefined
      return (bytes, start, end, content) => {
        const entry = parseEntry(bytes, start, end)
        const found = entry && find(entry)
        if (found === undefined) return false
        // No text is longer than its line, which has at most 64 KiB. Detection opens all envelopes and needs few.
        text ??= Buffer.allocUnsafe(64 * 1024)
        content.bytes = text
        content.start = 0
        content.end = typeof found === 'string' ? text.write(found, 'utf8') : found.copy(text)
        content.isPart = false
        return true
      }
    },
  }
}

/**
 * The output of `journalctl -o json`: one object per line, with the content in `MESSAGE`. It is an array of bytes when it is
 * not valid UTF-8 or has control characters.
 * https://systemd.io/JOURNAL_EXPORT_FORMATS/#journal-json-format
 */
export const journald = createJsonEnvelope({ name: 'journald', title: 'journald (JSON)' }, entry => {
  const { MESSAGE: message, __REALTIME_TIMESTAMP: time } = entry
  if (time === undefined) return undefined
  if (typeof message === 'string') return message
  const isBytes = Array.isArray(message) && message.every(byte => Number.isInteger(byte) && byte >= 0 && byte < 256)
  return isBytes ? Buffer.from(message) : undefined
})

/**
 * Records of a log collector: JSON objects with the content in `log`, as Fluent Bit writes them, in `message`, as Vector and Filebeat
 * do, or in `line`, as `logcli -o jsonl` does.
 * https://docs.fluentbit.io/manual/data-pipeline/outputs/output_formats
 */
export const record = createJsonEnvelope({ name: 'record', title: 'JSON record' }, ({ log, message, line }) =>
  // Filebeat describes the file in an object `log`.
  withoutBreak([log, message, line].find(text => typeof text === 'string')),
)

/**
 * Log records of OTLP in JSON, with the content in their body.
 * https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-body
 */
export const otlpBody = createJsonEnvelope({ name: 'otlp-body', title: 'OTLP' }, entry =>
  isOtlpRecord(entry) ? withoutBreak(findField(entry.body, 'stringValue')) : undefined,
)

function withoutBreak(text: unknown): string | undefined {
  return typeof text === 'string' ? text.replace(/\r?\n$/, '') : undefined
}
