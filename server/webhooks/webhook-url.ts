import { type AddressRange, isInRanges, parseAddressRange } from '../base/address-range.ts'
import { OperatorError } from '../base/operator-error.ts'
import { isLocalHost } from '../web/fetch/address.ts'

/** Addresses in private networks to which webhooks may be sent, by the decision of the operator. */
export interface AllowedPrivate {
  /** Host names in lower case. */
  names: readonly string[]
  ranges: readonly AddressRange[]
}

const maxLength = 2000

/** Reads the setting: host names, addresses and ranges such as 10.0.0.0/8, separated by commas; undefined if one is none of these. */
export function parseAllowedPrivate(text: string): AllowedPrivate | undefined {
  const parts = text.split(',').flatMap(part => part.trim().toLowerCase() || [])
  const ranges = parts.flatMap(part => parseAddressRange(part) ?? [])
  const names = parts.filter(part => parseAddressRange(part) === undefined)
  return names.every(name => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name)) ? { names, ranges } : undefined
}

/** Whether the operator named this host, or the range of its address. */
export function isAllowedHost({ hostname }: URL, { names, ranges }: AllowedPrivate): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return names.includes(host) || isInRanges(host, ranges)
}

/**
 * Reads the address of a webhook. An address that is public by its name can still resolve to a private one: each connection is checked.
 *
 * @throws {OperatorError} naming the problem and the remedy.
 */
export function readWebhookUrl(text: string, allowed: AllowedPrivate): string {
  const refuse = (why: string) => new OperatorError(`url ${why}`, 2)
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || text.length > maxLength) {
    throw refuse(`must be an https URL of at most ${maxLength} characters, such as https://hooks.example.com/quire.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse('has a user or a password. Leave them out: the signature shows that Quire is the sender.')
  }
  url.hash = ''
  if (isAllowedHost(url, allowed)) return url.href
  const remedy = 'If the receiver is in a private network, the operator allows it with --webhook-allow-private.'
  if (isLocalHost(url.hostname)) throw refuse(`is not a public address. ${remedy}`)
  if (url.protocol === 'http:') throw refuse(`must begin with https://, because others could read http. ${remedy}`)
  return url.href
}
