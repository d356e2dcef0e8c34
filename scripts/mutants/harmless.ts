/** A fault that changes nothing that anyone can see, and why. */
export interface Harmless {
  file: string
  /** The line without the spaces around it. */
  line: string
  from: string
  to: string
  reason: string
}

export const harmless: readonly Harmless[] = [
  {
    file: 'server/analytics/counters/seen-pages.ts',
    line: 'if (scratch.length < length * 5) scratch = new Uint8Array(length * 10)',
    from: '<',
    to: '<=',
    reason: 'The buffer grows a little earlier.',
  },
  {
    file: 'server/analytics/envelopes/syslog.ts',
    line: 'while (i < end && bytes[i] === 0x5b) {',
    from: '<',
    to: '<=',
    reason: 'The byte after a line is a line feed, never a bracket.',
  },
  {
    file: 'server/analytics/follow/compressed-log.ts',
    line: 'if (head.length >= count) break',
    from: '>=',
    to: '>',
    reason: 'More of the file is read, and nothing more is kept.',
  },
  {
    file: 'server/analytics/formats/haproxy.ts',
    line: 'for (let i = at + 1; i < end && count < maxCaptures; i++) {',
    from: '<',
    to: '<=',
    reason: 'The byte after a line is a line feed, neither a pipe nor a brace.',
  },
  {
    file: 'server/analytics/page.ts',
    line: 'while (end > 0 && path.charCodeAt(end - 1) === 0x2f) end--',
    from: '>',
    to: '>=',
    reason: 'The code before the first character is NaN, which is no slash.',
  },
]
