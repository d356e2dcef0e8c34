import { isIP } from 'node:net'
import { CombinedParser, findWordEnd } from './combined.ts'
import { emptyLogLine, type LogFormat, type LogLine, type Parsed } from './log-format.ts'

/** A name or an address, with or without a port. */
const hostPattern = /^([\w.-]+|\[[\da-f:]+\])(:\d+)?$/i

/** Apache's `vhost_combined`: a combined line after `host:port `. */
export const vhostCombined: LogFormat = {
  name: 'vhost_combined',
  hasHost: true,
  open: options => new VhostCombinedParser(options),
  recognizes(bytes, start, end) {
    const hostEnd = findWordEnd(bytes, start, end)
    const addressEnd = hostEnd === -1 ? -1 : findWordEnd(bytes, hostEnd + 1, end)
    // In a combined line, the second word is the RFC 1413 identity, mostly a dash.
    if (addressEnd === -1 || isIP(bytes.toString('latin1', hostEnd + 1, addressEnd)) === 0) return false
    return (
      hostPattern.test(bytes.toString('latin1', start, hostEnd)) &&
      new VhostCombinedParser({}).parse(bytes, start, end, emptyLogLine()) === 'request'
    )
  },
}

class VhostCombinedParser extends CombinedParser {
  override parse(bytes: Buffer, start: number, end: number, line: LogLine): Parsed {
    const hostEnd = findWordEnd(bytes, start, end)
    // In a line without a host, the identity follows the address: mostly a dash.
    if (hostEnd === -1 || (bytes[hostEnd + 1] === 0x2d && bytes[hostEnd + 2] === 0x20)) return 'malformed'
    line.hostStart = start
    line.hostEnd = hostEnd
    return super.parse(bytes, hostEnd + 1, end, line)
  }
}
