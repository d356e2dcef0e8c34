import { createHash } from 'node:crypto'

export { foldName } from '../../base/fold-name.ts'

const maxSegmentBytes = 140

/** Matches names that Windows reserves for devices, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i

/**
 * Returns a file name for one segment of a URL path. All common file systems accept the name. Most segments stay unchanged.
 * A changed name gets a hash of the original segment, so two segments never get the same name.
 *
 * @param segment percent-encoded; not empty.
 */
export function safeSegment(segment: string): string {
  const name = decodeSegment(segment)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this expression looks for control characters
  const cleaned = name.replace(/[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u2028\u2029\ufeff]/g, '_').replace(/[. ]+$/, '_')
  const isDevice = device.test(cleaned)
  const tooLong = Buffer.byteLength(cleaned) > maxSegmentBytes
  if (cleaned === name && !isDevice && !tooLong && name !== '' && !/^\.\.?$/.test(name)) return name
  return markSegment(cleaned.replace(/^\.+$/, '_'), segment)
}

/** Adds a hash of `source` before the extension and shortens the name to the length limit. */
export function markSegment(name: string, source: string): string {
  const extension = /\.[A-Za-z0-9]{1,11}$/.exec(name)?.[0] ?? ''
  const mark = `~${createHash('sha256').update(source).digest('hex').slice(0, 8)}`
  let stem = name.slice(0, name.length - extension.length)
  const room = maxSegmentBytes - extension.length - mark.length
  while (Buffer.byteLength(stem) > room) stem = Array.from(stem).slice(0, -1).join('')
  return `${device.test(stem) ? '_' : ''}${stem}${mark}${extension}`
}

/** Escapes a segment for a relative reference. */
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
