import { createHash, randomBytes } from 'node:crypto'
import type { Awaitable } from '../base/awaitable.ts'
import type { Person } from './person.ts'

/** How long a sign-in link works. */
export const signInLinkMs = 15 * 60 * 1000
/** How long a session lasts without a request. */
export const sessionIdleMs = 12 * 60 * 60 * 1000
/** How long a session lasts at most. */
export const sessionMs = 7 * 24 * 60 * 60 * 1000

export interface SignInLinks {
  insert(link: { tokenSha256: Buffer; personId: string; createdAt: number; expiresAt: number }): Awaitable<void>
  /** Returns the person of a link that works, without using it up. */
  find(tokenSha256: Buffer, now: number): Awaitable<Person | undefined>
  /** Uses up a link and returns its person; undefined if it is unknown, used or expired. Atomic: one caller gets the person. */
  take(tokenSha256: Buffer, now: number): Awaitable<Person | undefined>
}

/** A signed-in browser. */
export interface Session {
  id: string
  personId: string
  createdAt: number
  /** To the minute. */
  lastSeenAt: number
  expiresAt: number
  /** IP address of the browser that signed in. */
  address: string
}

export interface Sessions {
  insert(session: Session, secretSha256: Buffer): Awaitable<void>
  /**
   * Finds the session of a cookie and stores the time of use to the minute. Returns undefined if it is unknown, ended, expired, or
   * was not used for `sessionIdleMs`.
   */
  find(secretSha256: Buffer, now: number): Awaitable<{ session: Session; person: Person } | undefined>
  /** Lists the sessions of a person that have not ended, the newest first. */
  list(personId: string, now: number): Awaitable<Session[]>
  /** Ends one session. Returns false if it had ended. */
  end(id: string): Awaitable<boolean>
  /** Ends all sessions of a person. Returns how many there were. */
  endAll(personId: string): Awaitable<number>
}

/** Creates the secret of a sign-in link or a session: 256 random bits in base64url. Only `hashSecret` of it is stored. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a secret for storage. A fast hash is enough for 256 random bits. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
