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
    file: 'server/analytics/follow/plain-log.ts',
    line: 'if (from < header.length) return undefined',
    from: '<',
    to: '<=',
    reason: 'The header has all lines that begin with #, so no line of fields begins where it ends.',
  },
  {
    file: 'server/analytics/follow/plain-log.ts',
    line: 'if (this.head.length < this.#readTo || missing <= 0) return this.head',
    from: '<=',
    to: '<',
    reason: 'Nothing is added to a full head.',
  },
  {
    file: 'server/analytics/follow/plain-log.ts',
    line: 'if (this.head.length < this.#readTo || missing <= 0) return this.head',
    from: '||',
    to: '&&',
    reason: 'Nothing is added to a full head, and a shorter one ends where reading goes on or at the end of a copy.',
  },
  {
    file: 'server/analytics/follow/plain-log.ts',
    line: 'while (filled < into.length) {',
    from: '<',
    to: '<=',
    reason: 'Reading no bytes ends the loop.',
  },
  {
    file: 'server/analytics/formats/haproxy.ts',
    line: 'for (let i = at + 1; i < end && count < maxCaptures; i++) {',
    from: '<',
    to: '<=',
    reason: 'The byte after a line is a line feed, neither a pipe nor a brace.',
  },
  {
    file: 'server/analytics/formats/iso-time.ts',
    line: 'return hour <= 23 && minute <= 59 && second <= 59 && ms < dayMs ? ms : Number.NaN',
    from: '<',
    to: '<=',
    reason: 'The three conditions before it already exclude a whole day.',
  },
  {
    file: 'server/analytics/import/clients.ts',
    line: 'if (close !== -1 && (close + 1 === end || (close < end && isPort(bytes, close + 1, end)))) {',
    from: '<',
    to: '<=',
    reason: 'No port fits between a bracket after the address and its end.',
  },
  {
    file: 'server/analytics/import/log-reader.ts',
    line: 'builder.sizeBytes > maxBytes',
    from: '>',
    to: '>=',
    reason: 'A batch ends one visitor earlier.',
  },
  {
    file: 'server/analytics/page.ts',
    line: 'while (end > 0 && path.charCodeAt(end - 1) === 0x2f) end--',
    from: '>',
    to: '>=',
    reason: 'The code before the first character is NaN, which is no slash.',
  },
  {
    file: 'server/store/backup/make-backup.ts',
    line: 'const files = [...added.values()].sort((a, b) => (a.path < b.path ? -1 : 1))',
    from: '<',
    to: '<=',
    reason: 'No two files have the same path.',
  },
]
