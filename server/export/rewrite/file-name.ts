import { createHash } from 'node:crypto'

const longestSegmentBytes = 140

/** Names that Windows keeps for devices, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i

/**
 * A name for one segment of a URL path that every usual file system can hold; the segment itself where it can be.
 * A changed one ends in a hash of the original, so that two never become one.
 *
 * @param segment still percent-encoded; not empty.
 */
export function safeSegment(segment: string): string {
  const name = decodeSegment(segment)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  const cleaned = name.replace(/[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u2028\u2029\ufeff]/g, '_').replace(/[. ]+$/, '_')
  const isDevice = device.test(cleaned)
  const tooLong = Buffer.byteLength(cleaned) > longestSegmentBytes
  if (cleaned === name && !isDevice && !tooLong && name !== '' && !/^\.\.?$/.test(name)) return name
  return markSegment(cleaned.replace(/^\.+$/, '_'), segment)
}

/** The name with a mark made from `source`, before its extension and within the length limit. */
export function markSegment(name: string, source: string): string {
  const extension = /\.[A-Za-z0-9]{1,11}$/.exec(name)?.[0] ?? ''
  const mark = `~${createHash('sha256').update(source).digest('hex').slice(0, 8)}`
  let stem = name.slice(0, name.length - extension.length)
  const room = longestSegmentBytes - extension.length - mark.length
  while (Buffer.byteLength(stem) > room) stem = Array.from(stem).slice(0, -1).join('')
  return `${device.test(stem) ? '_' : ''}${stem}${mark}${extension}`
}

/** What two names have in common that a file system without case, or with its own Unicode form, would confuse. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC')
}

/** A segment as it stands in a relative reference. */
export function encodeSegment(name: string): string {
  return encodeURIComponent(name).replace(/%(?:2B|40|2C|3D|24|3B|26)/g, decodeURIComponent)
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
