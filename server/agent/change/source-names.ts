import { OperatorError } from '../../base/operator-error.ts'

/** The protocols that git may use. A path of this machine is `file`. */
export type SourceProtocol = 'https' | 'http' | 'ssh' | 'file'

const maxCharacters = 1000
const example =
  'Give an address such as https://git.example.com/team/docs.git or ssh://git@git.example.com/team/docs.git.'

/**
 * Checks the address of a repository and returns it. Plain http is for this machine only, unless the operator allowed it.
 *
 * @throws {OperatorError} for other protocols, and for addresses that git could take for an option or a command.
 */
export function checkSourceUrl(text: string, { isHttpAllowed = false } = {}): string {
  if (text === '' || text.length > maxCharacters)
    throw new OperatorError(`The repository has no usable address. ${example}`)
  if (/[\p{Cc}\s]/u.test(text))
    throw new OperatorError('The address of the repository has spaces or control characters.')
  if (text.startsWith('-')) throw new OperatorError(`The address of the repository begins with a hyphen. ${example}`)
  const protocol = findProtocol(text)
  if (protocol === 'file') return text
  if (protocol === undefined)
    throw new OperatorError(
      `Quire reads repositories over https and ssh, and by absolute paths of this machine. ${example}`,
    )
  const url = parseAddress(text)
  if (!url?.hostname || url.hostname.startsWith('-') || url.username.startsWith('-'))
    throw new OperatorError(`The address of the repository names no host. ${example}`)
  if (url.password !== '' || (protocol !== 'ssh' && url.username !== ''))
    throw new OperatorError(
      'The address of the repository has a user or password. Remove it and store it as the credential.',
    )
  if (url.search !== '' || url.hash !== '')
    throw new OperatorError('The address of the repository has a query or fragment. Remove it.')
  if (protocol === 'http' && !isHttpAllowed && !isLoopback(url.hostname))
    throw new OperatorError('http:// sends the credential unencrypted. Use https://.')
  return text
}

/** Returns the protocol that git uses for an address; undefined if Quire allows none. */
export function findProtocol(url: string): SourceProtocol | undefined {
  // `ext::sh -c ...` runs a command, and any other NAME:: runs a program called git-remote-NAME.
  if (url.includes('::') && !url.includes('[')) return undefined
  if (url.startsWith('/')) return 'file'
  const scheme = /^([a-z][a-z0-9+.-]*):\/\/(?!\/)/i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== undefined) return scheme === 'https' || scheme === 'http' || scheme === 'ssh' ? scheme : undefined
  return isScpAddress(url) ? 'ssh' : undefined
}

/** Returns the address as a URL; undefined for paths. git@host:team/docs.git becomes ssh://git@host/team/docs.git. */
export function parseAddress(url: string): URL | undefined {
  if (url.startsWith('/')) return undefined
  const colon = url.indexOf(':')
  const text = isScpAddress(url) ? `ssh://${url.slice(0, colon)}/${url.slice(colon + 1).replace(/^\//, '')}` : url
  return URL.parse(text) ?? undefined
}

/** user@host:path, without a port. */
function isScpAddress(url: string): boolean {
  return /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?!\/\/)./.test(url)
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/**
 * Checks a folder of a repository and returns it without slashes at the ends.
 *
 * @throws {OperatorError} for names that agents may not see, such as `.github`.
 */
export function checkFolder(text: string): string {
  const folder = text.replace(/^\/?/, '').replace(/\/$/, '')
  if (folder === '' || folder.length > maxCharacters)
    throw new OperatorError('A folder needs a name such as docs. To allow the whole repository, name no folder.')
  for (const part of folder.split('/')) {
    if (part === '' || part === '.' || part === '..')
      throw new OperatorError(
        `${JSON.stringify(folder)} must be a path from the top of the repository, such as docs/guide.`,
      )
    if (part.startsWith('.'))
      throw new OperatorError(`${JSON.stringify(folder)} is hidden. Agents never see hidden folders.`)
    if (/[\p{Cc}\\:]/u.test(part))
      throw new OperatorError(`${JSON.stringify(folder)} has a character that is not allowed.`)
  }
  return folder
}

/**
 * Checks the name of a branch and returns it. The rules are those of git check-ref-format.
 *
 * @throws {OperatorError} if git would refuse the name.
 */
export function checkBranch(text: string): string {
  if (!isBranchName(text))
    throw new OperatorError(
      `${JSON.stringify(text.slice(0, 100))} is not a valid name of a branch. Use a name such as main or docs/next.`,
    )
  return text
}

function isBranchName(text: string): boolean {
  if (text === '' || text.length > 250 || text.startsWith('-') || text === '@') return false
  if (/[\p{Cc} ~^:?*[\\]/u.test(text) || text.includes('..') || text.includes('@{') || text.endsWith('.')) return false
  return text.split('/').every(part => part !== '' && !part.startsWith('.') && !part.toLowerCase().endsWith('.lock'))
}
