/** The text of a line inside its envelope, as offsets into bytes. */
export interface Content {
  /** The bytes that the offsets refer to: the line itself, or a buffer filled by the envelope. */
  bytes: Buffer
  start: number
  end: number
  /** Whether the text continues in a later line with the same key. */
  isPart: boolean
  /** Lines with different keys, such as two output streams, are joined separately. */
  key: number
}

/** The text that a logging system writes around each line of a program's log. */
export interface Envelope {
  /** Value of the setting. */
  name: string
  /** The name in messages, such as `syslog (RFC 3164)`. */
  title: string
  /** Creates a function that finds the content of a line. It returns false when the line has another form. */
  open(): Unwrap
}

export type Unwrap = (bytes: Buffer, start: number, end: number, content: Content) => boolean

export function emptyContent(): Content {
  return { bytes: Buffer.alloc(0), start: 0, end: 0, isPart: false, key: 0 }
}
