/**
 * Returns where files of the repository can be edited, by the field `repository` of package.json; undefined if it is missing or not
 * the address of a web site. File paths are appended.
 */
export function readEditAddress(manifest: string): string | undefined {
  const { repository } = JSON.parse(manifest) as { repository?: string | { url?: string } }
  const given = (typeof repository === 'string' ? repository : repository?.url) ?? ''
  const address = given
    .replace(/^github:/, 'https://github.com/')
    .replace(/^gitlab:/, 'https://gitlab.com/')
    .replace(/^git\+/, '')
    .replace(/\.git$/, '')
  const url = URL.parse(/^[\w.-]+\/[\w.-]+$/.test(address) ? `https://github.com/${address}` : address)
  if (url?.protocol !== 'https:') return undefined
  const edit = url.hostname.includes('gitlab') ? '-/edit' : 'edit'
  return `${url.href.replace(/\/$/, '')}/${edit}/HEAD/`
}
