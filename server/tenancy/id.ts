import { randomBytes } from 'node:crypto'

/** Creates an identifier: the prefix of the kind and 16 random hexadecimal digits, such as `se_0f3c9a1b2d4e5f60`. */
export function createId(prefix: 'org' | 'prj' | 'key' | 'aj' | 'se'): string {
  return `${prefix}_${randomBytes(8).toString('hex')}`
}
