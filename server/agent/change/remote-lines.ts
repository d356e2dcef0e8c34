/** Longer lines are no address. */
const maxLineCharacters = 2000
const maxLines = 500

/** Returns what the server of the repository printed during a push: the lines after `remote:`. */
export function readRemoteLines(stderr: string): string[] {
  const lines = stderr.split(/[\n\r]/).filter(line => line.startsWith('remote:'))
  return lines
    .filter(line => line.length <= maxLineCharacters)
    .slice(0, maxLines)
    .map(line => line.slice('remote:'.length).trim())
}

/**
 * Finds the address of a pull request (Forgejo, Gitea, GitHub) or merge request (GitLab) in the lines of a server. The same servers
 * also print addresses to create one, which are not taken.
 */
export function findRequestLink(lines: readonly string[]): string | null {
  for (const line of lines)
    for (const word of line.split(/\s+/)) {
      const link = checkLink(word)
      if (link && /\/(?:pulls?|merge_requests)\/\d{1,12}$/.test(new URL(link).pathname)) return link
    }
  return null
}

/** Returns an http(s) address without credentials in its normal form, otherwise null: nothing else may become a link. */
export function checkLink(text: string): string | null {
  if (text.length > maxLineCharacters || /[\p{Cc}\s]/u.test(text) || !/^https?:\/\//i.test(text)) return null
  const url = URL.parse(text)
  return url?.username === '' && url.password === '' ? url.href : null
}
