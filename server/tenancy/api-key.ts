import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Awaitable } from '../base/awaitable.ts'
import type { Plan } from './organization.ts'

export type Scope = 'read' | 'write'

export interface ApiKey {
  id: string
  organizationId: string
  name: string
  /** The last 4 characters of the key, for people to tell keys apart. */
  last4: string
  scopes: Scope[]
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

/** Who sent a request: the key, and the organization that owns it. */
export interface Caller {
  keyId: string
  organizationId: string
  plan: Plan
  scopes: readonly Scope[]
}

export interface ApiKeys {
  insert(key: ApiKey, secretSha256: Buffer): Awaitable<void>
  /** The caller that a live key stands for; undefined for an unknown, expired or revoked one. Keeps the time of use to a minute. */
  authenticate(secretSha256: Buffer, now: number): Awaitable<Caller | undefined>
  list(organizationId?: string): Awaitable<ApiKey[]>
  /** False when there is no such key, or it was revoked before. */
  revoke(id: string, now: number): Awaitable<boolean>
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 30 // 62^30 = 178 bits
const checksumLength = 6 // 62^6 > 2^32

/** A new key: prefix, 178 random bits and their CRC-32 in base 62. Shown once and never stored; see `hashKey`. */
export function createKey(prefix: string): string {
  const secret = Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${prefix}${secret}${checksum(prefix + secret)}`
}

/** Whether `key` has the form and the checksum of our keys: tells a typo from a key without a look-up. */
export function isWellFormedKey(prefix: string, key: string): boolean {
  if (key.length !== prefix.length + secretLength + checksumLength || !key.startsWith(prefix)) return false
  const body = key.slice(0, -checksumLength)
  return /^[0-9A-Za-z]+$/.test(key.slice(prefix.length)) && checksum(body) === key.slice(-checksumLength)
}

/** The only form in which a key is stored. A plain hash is enough for 178 random bits; a slow one is for passwords. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[rest % alphabet.length] + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}
