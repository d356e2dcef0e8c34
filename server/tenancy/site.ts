import type { Awaitable } from '../base/awaitable.ts'
import type { RemovalRules } from './removal-rules.ts'

/** A documentation site: the public domain of a project, and where its pages are fetched from. */
export interface Site {
  /** Bare host name in lower case. */
  domain: string
  projectId: string
  /** Absolute http(s) URL that the operator set; null = https://domain/. It may be private or loopback, since it was set by hand. */
  origin: string | null
  /** What its exports leave out or keep beyond the products that are recognised anyway; null = nothing. */
  removal: RemovalRules | null
  createdAt: number
}

export interface Sites {
  /** A new site has no removal rules yet. */
  insert(site: Omit<Site, 'removal'>): Awaitable<void>
  findOwned(organizationId: string, domain: string): Awaitable<Site | undefined>
  find(domain: string): Awaitable<Site | undefined>
  list(organizationId?: string): Awaitable<Site[]>
  /** False when there is no such site. */
  updateOrigin(domain: string, origin: string | null): Awaitable<boolean>
  /** False when there is no such site. */
  updateRemoval(domain: string, removal: RemovalRules | null): Awaitable<boolean>
  /** False when there is no such site. */
  delete(domain: string): Awaitable<boolean>
}

const domainPattern = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/** The domain in lower case; undefined when `text` is not a bare host name. */
export function parseDomain(text: string): string | undefined {
  const domain = text.toLowerCase()
  return domainPattern.test(domain) ? domain : undefined
}

/** The origin with a trailing slash; undefined when `text` is no absolute http(s) URL, or carries user info, a query or a fragment. */
export function parseOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) return undefined
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
