/** Characters that RFC 3986 allows after the host of a URL. Browsers leave a few others, such as `|`, unescaped. */
const notInUrl = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%]/g
const hostPattern = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._~!$&'()*+,;=%]+)$/

/**
 * Converts the address of a repository or a pull request to the form that is stored: an absolute http(s) URL with every
 * character escaped that RFC 3986 does not allow. Returns undefined for other text, such as `javascript:alert(1)`.
 */
export function toHttpUrl(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || !hostPattern.test(url.hostname)) return undefined
  const place = url.href.slice(url.href.indexOf('//') + 2)
  const [authority = ''] = place.split(/[/?#]/, 1)
  const [path = '', ...fragment] = place.slice(authority.length).split('#')
  const escaped = path.replaceAll(notInUrl, encodeURIComponent)
  const end = url.hash === '' ? '' : `#${fragment.join('#').replaceAll(notInUrl, encodeURIComponent)}`
  return `${url.protocol}//${authority}${escaped}${end}`
}

/** Whether an http(s) URL has a user or a password. They would be stored, and every reader of the API would see them. */
export function hasCredentials(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && (url.username !== '' || url.password !== '')
}

/** What `hasCredentials` refuses, in words that follow the name of the field. */
export const credentialsRule = 'has a user or a password, which every reader of the API would see. Leave them out.'

/** Whether an id stays the same in a path: clients that do not escape it, and those that do, ask for the same job. */
export function isPathSafeId(id: string): boolean {
  return /^[A-Za-z0-9._~-]+$/.test(id) && id !== '.' && id !== '..'
}

/** What `isPathSafeId` accepts, in words that follow "must". */
export const pathSafeIdRule = 'have only letters, digits, dots, underscores, tildes and hyphens'
