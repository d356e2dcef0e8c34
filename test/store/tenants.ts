import type { Project } from '../../server/tenancy/project.ts'
import type { TestStore } from './stores.ts'

export const now = Date.UTC(2026, 10, 23)

/** Inserts three organizations. Two of the ids differ only by the case of a letter. */
export async function insertOrganizations(store: TestStore): Promise<void> {
  for (const [id, createdAt] of [
    ['org_b', now],
    ['org_B', now],
    ['org_a', now + 1],
  ] as const)
    await store.organizations.insert({ id, name: 'Acme', plan: 'standard', createdAt })
}

export const project = (id: string, organizationId = 'org_a'): Project => ({
  id,
  organizationId,
  name: 'Docs',
  visitorSaltRotation: 'month',
  visitorRules: 2,
  createdAt: now,
})

export const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
