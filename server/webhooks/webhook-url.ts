import { OperatorError } from '../base/operator-error.ts'

/** Whether events may be sent to a host: the operator allowed it, it is in a private network, or it is public by its name. */
export type HostKind = 'allowed' | 'local' | 'public'

const maxLength = 2000

/**
 * Reads the address of a webhook. An address that is public by its name can still resolve to a private one: each connection is checked.
 *
 * @throws {OperatorError} naming the problem and the remedy.
 */
export function readWebhookUrl(text: string, judgeHost: (url: URL) => HostKind): string {
  const refuse = (why: string) => new OperatorError(`url ${why}`, 2)
  // The mock runs on Node 20, which has no URL.parse.
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || text.length > maxLength) {
    throw refuse(`must be an https URL of at most ${maxLength} characters, such as https://hooks.example.com/quire.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse('has a user or a password. Leave them out: the signature shows that Quire is the sender.')
  }
  url.hash = ''
  const kind = judgeHost(url)
  if (kind === 'allowed') return url.href
  const remedy = 'If the receiver is in a private network, the operator allows it with --webhook-allow-private.'
  if (kind === 'local') throw refuse(`is not a public address. ${remedy}`)
  if (url.protocol === 'http:') throw refuse(`must begin with https://, because others could read http. ${remedy}`)
  return url.href
}
