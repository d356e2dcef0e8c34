import { OperatorError } from '../base/operator-error.ts'
import { addKey, addOrganization, addProject, addSite } from '../store/recorded-inserts.ts'
import type { Store } from '../store/store.ts'
import { type ApiKey, expiryOf, findKeyState, hashKey, issueKey } from '../tenancy/api-key.ts'
import { createId } from '../tenancy/id.ts'
import { readName } from '../tenancy/name.ts'
import type { Organization, Plan } from '../tenancy/organization.ts'
import { newVisitorRules, type Project } from '../tenancy/project.ts'

/** What `quire init` sets up. An undefined name means the only existing one, else a default. */
export interface InitWishes {
  org?: string | undefined
  plan: Plan
  project?: string | undefined
  key?: string | undefined
  keyPrefix: string
  /** Lifetime of a new key. */
  expiresInDays: number | 'never'
  site?: { domain: string; origin: string | null } | undefined
}

export type Found<T> = T & { state: 'created' | 'kept' }

/** What there is after `quire init`. */
export interface InitResult {
  organization: Found<Organization>
  project: Found<Pick<Project, 'id' | 'name'>>
  /** `key` is the secret of a new key; null = the key existed, and its secret is not stored. */
  key: Found<Pick<ApiKey, 'id' | 'name' | 'last4' | 'expiresAt'>> & { key: string | null }
  site: Found<{ domain: string; origin: string | null; projectId: string }> | null
}

export const initDefaults = { org: 'Main', project: 'Documentation', key: 'admin' }

/**
 * Creates what is missing, and keeps what exists: the same wishes twice change nothing.
 *
 * @throws {OperatorError} before anything is created, when a name fits several, or the site belongs to another project.
 */
export async function initStore(store: Store, wishes: InitWishes, now: number): Promise<InitResult> {
  const organizations = await store.organizations.list()
  const knownOrg = choose(organizations, wishes.org, '--org', 'organization')
  const projects = knownOrg ? await store.projects.list(knownOrg.id) : []
  const knownProject = choose(projects, wishes.project, '--project', 'project')
  const keys = knownOrg
    ? (await store.apiKeys.list(knownOrg.id)).filter(key => findKeyState(key, now) === 'active')
    : []
  const knownKey = wishes.key === undefined ? keys[0] : keys.find(({ name }) => name === wishes.key)
  const knownSite = wishes.site && (await store.sites.find(wishes.site.domain))
  if (knownSite && knownSite.projectId !== knownProject?.id) {
    throw new OperatorError(
      `${knownSite.domain} is already a site of ${knownSite.projectId}. Give that project with --project.`,
    )
  }
  const named = {
    org: readName(wishes.org ?? initDefaults.org),
    project: readName(wishes.project ?? initDefaults.project),
    key: readName(wishes.key ?? initDefaults.key),
  }

  const organization = knownOrg ?? { id: createId('org'), name: named.org, plan: wishes.plan, createdAt: now }
  if (!knownOrg) await addOrganization(store, organization)
  const project: Project = knownProject ?? {
    id: createId('prj'),
    organizationId: organization.id,
    name: named.project,
    visitorSaltRotation: 'never',
    visitorRules: newVisitorRules,
    createdAt: now,
  }
  if (!knownProject) await addProject(store, project)
  const site = await initSite(store, wishes.site, { known: knownSite, project, now })
  const key = knownKey
    ? { ...toShown(knownKey), state: 'kept' as const, key: null }
    : await createFirstKey(store, { organizationId: organization.id, name: named.key, wishes, now })
  return {
    organization: { ...organization, state: knownOrg ? 'kept' : 'created' },
    project: { id: project.id, name: project.name, state: knownProject ? 'kept' : 'created' },
    key,
    site,
  }
}

/** Returns the one that a flag means; undefined = there is none yet. */
function choose<T extends { id: string; name: string }>(
  all: readonly T[],
  wanted: string | undefined,
  flag: string,
  noun: string,
): T | undefined {
  const fitting = wanted === undefined ? all : all.filter(({ id, name }) => id === wanted || name === wanted)
  if (fitting.length < 2) return fitting[0]
  const ids = fitting.map(({ id }) => id).join(', ')
  throw new OperatorError(`There are ${fitting.length} such ${noun}s. Give the id of one with ${flag}: ${ids}`, 2)
}

async function initSite(
  store: Store,
  wanted: InitWishes['site'],
  { known, project, now }: { known: { origin: string | null } | undefined; project: Project; now: number },
): Promise<InitResult['site']> {
  if (!wanted) return null
  const { id: projectId, organizationId } = project
  if (known) return { domain: wanted.domain, origin: known.origin, projectId, state: 'kept' }
  const site = { ...wanted, projectId, organizationId, createdAt: now }
  await addSite(store, site, { removal: null, allowedOrigins: [] })
  return { ...wanted, projectId, state: 'created' }
}

async function createFirstKey(
  store: Store,
  { organizationId, name, wishes, now }: { organizationId: string; name: string; wishes: InitWishes; now: number },
): Promise<InitResult['key']> {
  const { keyPrefix, expiresInDays } = wishes
  const expiresAt = expiryOf(now, expiresInDays)
  const { key, secret } = issueKey(keyPrefix, { organizationId, name, createdAt: now, expiresAt })
  await addKey(store, key, hashKey(secret))
  return { ...toShown(key), state: 'created', key: secret }
}

function toShown({ id, name, last4, expiresAt }: ApiKey) {
  return { id, name, last4, expiresAt }
}
