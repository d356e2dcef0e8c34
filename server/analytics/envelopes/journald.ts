import type { Envelope, Unwrap } from './envelope.ts'

/**
 * The output of `journalctl -o json`: one object per line, with the content in `MESSAGE`. It is an array of bytes when it is
 * not valid UTF-8 or has control characters.
 * https://systemd.io/JOURNAL_EXPORT_FORMATS/#journal-json-format
 */
export const journald: Envelope = {
  name: 'journald',
  title: 'journald (JSON)',
  open: openJournald,
}

function openJournald(): Unwrap {
  const text = Buffer.allocUnsafe(64 * 1024)
  return (bytes, start, end, content) => {
    const message = findMessage(bytes, start, end)
    if (message === undefined) return false
    content.bytes = text
    content.start = 0
    content.end = typeof message === 'string' ? text.write(message, 'utf8') : message.copy(text)
    content.isPart = false
    return true
  }
}

function findMessage(bytes: Buffer, start: number, end: number): string | Buffer | undefined {
  if (bytes[start] !== 0x7b) return undefined
  try {
    const { MESSAGE: message, __REALTIME_TIMESTAMP: time } = JSON.parse(bytes.toString('utf8', start, end))
    if (time === undefined) return undefined
    if (typeof message === 'string') return message
    const isBytes = Array.isArray(message) && message.every(byte => Number.isInteger(byte) && byte >= 0 && byte < 256)
    return isBytes ? Buffer.from(message) : undefined
  } catch {
    return undefined
  }
}
