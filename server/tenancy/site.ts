import type { Awaitable } from '../base/awaitable.ts'
import type { Listed, ListPart } from './list-part.ts'
import type { RemovalRules } from './removal-rules.ts'

/** A documentation site: the public domain of a project, and the origin from which Quire fetches its pages. */
export interface Site {
  /** Host name in lower case, without scheme, port and path. */
  domain: string
  projectId: string
  /** Absolute http(s) URL set by the operator; null = https://domain/. The host may be private or loopback. */
  origin: string | null
  /** Rules for exports of the site in addition to the known products; null = none. */
  removal: RemovalRules | null
  /** Further private origins from which pages may load files, as scheme, host and port, set by the operator; sorted. */
  allowedOrigins: string[]
  /** Names the key that signs the bundles of the site; null = they are not signed. */
  signingKeyId: string | null
  /** Since when a recorded login is stored; null = none. */
  loginAt: number | null
  createdAt: number
}

/** A site without what is set later. */
export type NewSite = Omit<Site, 'removal' | 'allowedOrigins' | 'signingKeyId' | 'loginAt'>

/** A private key that is encrypted, and the name of its public key. */
export interface SealedSigningKey {
  id: string
  sealed: Uint8Array
}

export interface Sites {
  /** Inserts a site without removal rules, allowed origins, a key and a login. */
  insert(site: NewSite): Awaitable<void>
  findOwned(organizationId: string, domain: string): Awaitable<Site | undefined>
  find(domain: string): Awaitable<Site | undefined>
  list(organizationId?: string): Awaitable<Site[]>
  /** Lists sites whose domain, or the name of whose project, contains a text, by domain. */
  listPart(organizationId: string, part: ListPart): Awaitable<Listed<Site & { projectName: string }>>
  /** Counts the sites of a project. */
  count(projectId: string): Awaitable<number>
  /** Returns false if the site does not exist. */
  updateOrigin(domain: string, origin: string | null): Awaitable<boolean>
  /** Returns false if the site does not exist. */
  updateRemoval(domain: string, removal: RemovalRules | null): Awaitable<boolean>
  /** Returns false if the site does not exist. */
  updateAllowedOrigins(domain: string, origins: readonly string[]): Awaitable<boolean>
  /** Returns the recorded login, encrypted (see `SecretBox`); undefined = none. */
  findLogin(domain: string): Awaitable<Uint8Array | undefined>
  /** @param login null = forget it. Returns false if the site does not exist. */
  updateLogin(domain: string, login: { sealed: Uint8Array; at: number } | null): Awaitable<boolean>
  /** Returns false if the site does not exist. */
  updateSigningKey(domain: string, key: SealedSigningKey | null): Awaitable<boolean>
  findSigningKey(domain: string): Awaitable<SealedSigningKey | undefined>
  /** Returns false if the site does not exist. */
  delete(domain: string): Awaitable<boolean>
}

/** The detail of an audit event for the origin of a site. */
export function describeOrigin({ domain, origin }: Pick<Site, 'domain' | 'origin'>): string {
  return `origin ${origin ?? `https://${domain}/`}`
}

/** The detail of an audit event for the further private origins of a site. */
export function describeAllowedOrigins(origins: readonly string[]): string {
  return `allowed origins: ${origins.join(', ') || 'none'}`
}

const domainPattern = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/** Returns the domain in lower case. Returns undefined if `text` is not a bare host name. */
export function parseDomain(text: string): string | undefined {
  const domain = text.toLowerCase()
  return domainPattern.test(domain) ? domain : undefined
}

/**
 * Returns the origin with a trailing slash, or undefined if `text` is not an absolute http(s) URL or has a user, query or
 * fragment.
 */
export function parseOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) return undefined
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}

/**
 * Returns scheme, host and port, without the default port and a trailing slash. Returns undefined if `text` is not an
 * http(s) URL or has a user, path, query, fragment or wildcard.
 */
export function parseAllowedOrigin(text: string): string | undefined {
  const origin = parseOrigin(text)
  if (origin === undefined || new URL(origin).pathname !== '/' || origin.includes('*')) return undefined
  return new URL(origin).origin
}
