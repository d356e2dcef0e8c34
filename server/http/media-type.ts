import { HttpError } from './http-error.ts'

/**
 * Chooses the media type of an answer by the Accept header of the request (RFC 9110, 12.5.1).
 *
 * The first of `offered` is the default. Another one is chosen only if the header names it and prefers it: by a higher quality,
 * or by the same one if the header matches the default only with a wildcard. So `text/*` and other unusual headers get the
 * default, and no header is refused.
 *
 * @param offered without parameters, in lower case
 */
export function chooseMediaType<Type extends string>(accept: string | undefined, offered: readonly Type[]): Type {
  const [byDefault = '' as Type, ...others] = offered
  if (accept === undefined || others.length === 0) return byDefault
  const ranges = parseAccept(accept)
  const wildcard = `${byDefault.slice(0, byDefault.indexOf('/'))}/*`
  let chosen = byDefault
  let best = ranges.get(byDefault)
  let least = best ?? ranges.get(wildcard) ?? ranges.get('*/*') ?? 0
  for (const other of others) {
    const quality = ranges.get(other) ?? 0
    if (quality === 0 || quality < least || (quality === least && best !== undefined)) continue
    chosen = other
    best = quality
    least = quality
  }
  return chosen
}

/** Returns the quality of each media range. Ranges whose quality is not a number from 0 to 1 are left out. */
function parseAccept(accept: string): Map<string, number> {
  const ranges = new Map<string, number>()
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = parameters.find(text => /^q\s*=/.test(text))
    const quality = weight === undefined ? 1 : Number(weight.slice(weight.indexOf('=') + 1).trim() || Number.NaN)
    if (quality >= 0 && quality <= 1) ranges.set(range, Math.max(quality, ranges.get(range) ?? 0))
  }
  return ranges
}

/** Whether a Content-Type is JSON in UTF-8. */
export function isJson(contentType: string | undefined): boolean {
  const [mediaType = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  return (
    mediaType.trim() === 'application/json' &&
    parameters.every(parameter => !parameter.includes('charset') || /^\s*charset\s*=\s*"?utf-8"?\s*$/.test(parameter))
  )
}

/** Returns the error of a request whose body is not JSON. */
export function jsonOnly(): HttpError {
  return new HttpError(
    415,
    'unsupported_media_type',
    'The request body must be JSON. Send it with Content-Type: application/json',
  )
}
