import type { Awaitable } from '../base/awaitable.ts'
import type { RemovalRules } from './removal-rules.ts'

/** A documentation site: the public domain of a project, and where its pages are fetched from. */
export interface Site {
  /** Bare host name in lower case. */
  domain: string
  projectId: string
  /** Absolute http(s) URL set by the operator; null = https://domain/. It may be a private or loopback address. */
  origin: string | null
  /** Rules for exports of the site beyond the known products; null = none. */
  removal: RemovalRules | null
  createdAt: number
}

export interface Sites {
  /** A new site has no removal rules yet. */
  insert(site: Omit<Site, 'removal'>): Awaitable<void>
  findOwned(organizationId: string, domain: string): Awaitable<Site | undefined>
  find(domain: string): Awaitable<Site | undefined>
  list(organizationId?: string): Awaitable<Site[]>
  /** Returns false if the site does not exist. */
  updateOrigin(domain: string, origin: string | null): Awaitable<boolean>
  /** Returns false if the site does not exist. */
  updateRemoval(domain: string, removal: RemovalRules | null): Awaitable<boolean>
  /** Returns false if the site does not exist. */
  delete(domain: string): Awaitable<boolean>
}

const domainPattern = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/** Returns the domain in lower case; undefined if `text` is not a bare host name. */
export function parseDomain(text: string): string | undefined {
  const domain = text.toLowerCase()
  return domainPattern.test(domain) ? domain : undefined
}

/** Returns the origin with a trailing slash; undefined if `text` is not an absolute http(s) URL without user, query and fragment. */
export function parseOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) return undefined
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
