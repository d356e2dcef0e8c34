/** Parameters of addresses that are secrets, or that sign. */
const secretParameter =
  /([?&](?:key|api_?key|token|access_token|secret|sig|signature|X-Amz-(?:Signature|Credential|Security-Token))=)[^&#"'\s\\<>]*/gi

const rules: readonly (readonly [RegExp, string])[] = [
  // The whole query of a link to a bundle: the same file has another one in each answer, and a replay finds it by its path.
  [/(\/bundles\/[^?#"'\s\\<>]+)\?[^#"'\s\\<>]*/g, '$1'],
  [secretParameter, '$1removed'],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, 'whsec_removed'],
  [/\bquire_[A-Za-z0-9_-]{12,}/g, 'quire_removed'],
  [/\b(Bearer|Basic)((?:\s|%20)+)[A-Za-z0-9+/=._~-]{8,}/gi, '$1$2removed'],
  [/("(?:secret|password|token|api_?key)"\s*:\s*")(?!whsec_removed)(?:[^"\\]|\\.)+"/gi, '$1removed"'],
  // The user and the password of an address.
  [/(\/\/)[^/?#@"'\s\\<>]+@/g, '$1removed@'],
]

/**
 * Removes what must not be in a file that people share: keys, secrets of webhooks, and signatures of links.
 *
 * @param given what the client sent as its key; it is removed wherever it is
 */
export function removeSecrets(text: string, given: readonly string[] = []): string {
  const known = given.filter(secret => secret.length >= 4)
  const forms = known.flatMap(secret => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
  const rest = forms.reduce((left, form) => left.replaceAll(form, 'removed'), text)
  return rules.reduce((left, [pattern, shown]) => left.replaceAll(pattern, shown), rest)
}

/** Lists the secrets that a client sent with a request. */
export function findSecrets(target: string, headers: Readonly<Record<string, unknown>>): string[] {
  const { authorization, cookie } = headers
  const key = String(authorization ?? '').replace(/^\S+\s+/, '')
  const cookies = String(cookie ?? '')
    .split(';')
    .map(pair => pair.split('=').slice(1).join('=').trim())
  const parameter = new URLSearchParams(target.split('?').slice(1).join('?')).get('key')
  return [key, ...cookies, parameter ?? '']
}
