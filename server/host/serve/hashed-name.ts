/**
 * Decides whether a file name contains a hash of the content, as bundlers write it: `app.3f2a9b1c.js`, `index-BV4qtO0m.js`.
 * Browsers may keep such a file for ever. A hash has digits and letters; a word, a version or a date has not both. The mark of an
 * export (`name~3f2a9b1c.css`) is a hash of the name, and does not count.
 */
export function isHashedName(name: string): boolean {
  if (/\.x?html?$/i.test(name)) return false
  // The last part is the extension.
  const parts = name.split(/[.\-_]/).slice(0, -1)
  return parts.some((part, index) => isHexHash(part) || (index > 0 && isMixedHash(part)))
}

function isHexHash(part: string): boolean {
  return /^[0-9a-f]{8,64}$/.test(part) && /[0-9]/.test(part) && /[a-f]/.test(part)
}

/** Bundlers write 8 characters, or at least 16. Other lengths, and a first part, may be a name such as `Html5Parser`. */
function isMixedHash(part: string): boolean {
  return (
    /^([A-Za-z0-9]{8}|[A-Za-z0-9]{16,44})$/.test(part) && [/[0-9]/, /[a-z]/, /[A-Z]/].every(each => each.test(part))
  )
}
