import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Awaitable } from '../base/awaitable.ts'
import { dayMs } from '../base/day-ms.ts'
import { createId } from './id.ts'
import type { Listed, ListPart } from './list-part.ts'
import type { Plan } from './organization.ts'

/**
 * `write` includes the others. `ingest` only sends visits and reports agent jobs, for CI and CDNs. `count` only tells which pages readers
 * open; such a key is in the pages of a site, so everybody knows it.
 */
export type Scope = 'read' | 'write' | 'ingest' | 'count'

/** The lifetime of new keys, unless another or none is chosen. */
export const defaultKeyDays = 90

/** Where a key works. */
export interface KeyBounds {
  /** Projects of the organization, for keys with the scope `ingest` or `count`; empty = all. */
  projectIds: string[]
  /** IP addresses and CIDR ranges that requests may come from; empty = all. */
  allowedAddresses: string[]
}

export interface ApiKey extends KeyBounds {
  id: string
  organizationId: string
  name: string
  /** The last 4 characters of the key, which help people to tell keys apart. */
  last4: string
  scopes: Scope[]
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

/** The sender of a request: the key, and the organization that owns it. */
export interface Caller {
  keyId: string
  organizationId: string
  plan: Plan
  scopes: readonly Scope[]
  /** The only projects that the caller may name; null = all of its organization. */
  projectIds: readonly string[] | null
}

/** The caller of a key, what people know the key by, and where it may be used. */
export interface NamedCaller extends Caller, Pick<KeyBounds, 'allowedAddresses'> {
  keyName: string
  /** See `ApiKey`. */
  last4: string
}

export interface ApiKeys {
  /** Inserts a key. Without bounds, it is for all projects and addresses. */
  insert(key: Omit<ApiKey, keyof KeyBounds> & Partial<KeyBounds>, secretSha256: Buffer): Awaitable<void>
  /**
   * Finds the caller of a key and stores the time of use to the minute. Returns undefined if the key is unknown, expired or
   * revoked.
   */
  authenticate(secretSha256: Buffer, now: number): Awaitable<NamedCaller | undefined>
  list(organizationId?: string): Awaitable<ApiKey[]>
  /** Lists keys whose name or last characters contain a text, the newest first. */
  listPart(organizationId: string, part: ListPart): Awaitable<Listed<ApiKey>>
  /** Finds a key. Also returns undefined if it belongs to another organization. */
  findOwned(organizationId: string, id: string): Awaitable<ApiKey | undefined>
  /** Returns when the next key of any organization expires; undefined = none will. */
  findNextExpiry(now: number): Awaitable<number | undefined>
  /** Lets a key expire at a time, unless it expires earlier. Returns false if it does not exist, is revoked or expires earlier. */
  expire(id: string, at: number): Awaitable<boolean>
  /** Returns false if the key does not exist or was already revoked. */
  revoke(id: string, now: number): Awaitable<boolean>
}

/** Returns when a key with a lifetime expires; null = never. */
export function expiryOf(createdAt: number, lifetimeDays: number | 'never'): number | null {
  return lifetimeDays === 'never' ? null : createdAt + lifetimeDays * dayMs
}

/** Whether requests with a key are accepted, or why not. */
export type KeyState = 'active' | 'expired' | 'revoked'

/** @param now milliseconds since 1970 */
export function findKeyState({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: number): KeyState {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}

/** Subject and detail of the audit events of a key. */
export function describeKey({ id, organizationId, name, last4 }: ApiKey) {
  return { subject: id, organizationId, detail: `${name} (...${last4})` }
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 30 // 62^30 = 178 bits
const checksumLength = 6 // 62^6 > 2^32

/**
 * Creates a key: prefix, 178 random bits and their CRC-32 in base 62. The key is shown once and never stored; see
 * `hashKey`.
 */
export function createKey(prefix: string): string {
  const secret = Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${prefix}${secret}${checksum(prefix + secret)}`
}

/** Creates a key with its record, which is not stored yet. The secret is shown once. */
export function issueKey(
  prefix: string,
  wish: Pick<ApiKey, 'organizationId' | 'name' | 'createdAt' | 'expiresAt'> &
    Partial<Pick<ApiKey, 'id' | 'scopes' | keyof KeyBounds>>,
): { key: ApiKey; secret: string } {
  const secret = createKey(prefix)
  const defaults = {
    id: createId('key'),
    scopes: ['read' as const, 'write' as const],
    projectIds: [],
    allowedAddresses: [],
  }
  return { key: { ...defaults, ...wish, last4: secret.slice(-4), revokedAt: null, lastUsedAt: null }, secret }
}

/** Checks the format and the checksum of a key, to detect typos without a database query. */
export function isWellFormedKey(prefix: string, key: string): boolean {
  if (key.length !== prefix.length + secretLength + checksumLength || !key.startsWith(prefix)) return false
  const body = key.slice(0, -checksumLength)
  return /^[0-9A-Za-z]+$/.test(key.slice(prefix.length)) && checksum(body) === key.slice(-checksumLength)
}

/** Hashes a key for storage. A fast hash is enough for 178 random bits. Slow hashes are for passwords. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
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
