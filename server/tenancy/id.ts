import { createHash, randomBytes } from 'node:crypto'

const prefixes = ['org', 'prj', 'key', 'aj', 'se', 'usr', 'ses', 'wh', 'msg'] as const
const form = new RegExp(`^(${prefixes.join('|')})_[0-9a-f]{16}$`, 'i')

/** Creates an identifier: the prefix of the kind and 16 random hexadecimal digits, such as `se_0f3c9a1b2d4e5f60`. */
export function createId(prefix: (typeof prefixes)[number]): string {
  return `${prefix}_${randomBytes(8).toString('hex')}`
}

/** Derives an identifier from a text, so that the same text gives the same identifier. */
export function deriveId(prefix: (typeof prefixes)[number], text: string): string {
  return `${prefix}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

/** Whether a text has the form of an identifier of any kind. */
export function isId(text: string): boolean {
  return form.test(text)
}
