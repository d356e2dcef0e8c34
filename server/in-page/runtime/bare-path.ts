// This file uses no DOM, because the exporter also imports it.

/**
 * Returns a path without the parts that hosts may leave out: `index`, `.html` and a final slash.
 *
 * @param path relative to the root of the bundle, percent-encoded, without a slash at its beginning.
 */
export function barePath(path: string): string {
  const bare = path
    .replace(/(?<!\/)\/+$/, '')
    .replace(/(^|\/)(index)?(\.x?html?)?$/i, '')
    .replace(/\.x?html?$/i, '')
  try {
    return decodeURIComponent(bare)
  } catch {
    return bare
  }
}
