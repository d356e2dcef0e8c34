import type { Awaitable } from '../base/awaitable.ts'
import type { Listed, ListPart } from './list-part.ts'

export type Plan = 'standard' | 'enterprise'

/** Whether organizations of the plan may start exports and get the bundles of earlier ones. */
export function includesStaticExport(plan: Plan): boolean {
  return plan === 'enterprise'
}

export interface Organization {
  id: string
  name: string
  plan: Plan
  /** Milliseconds since 1970, like every `...At` in the domain. */
  createdAt: number
}

export interface Organizations {
  insert(organization: Organization): Awaitable<void>
  find(id: string): Awaitable<Organization | undefined>
  list(): Awaitable<Organization[]>
  /** Lists organizations whose name or id contains a text, the oldest first. */
  listPart(part: ListPart): Awaitable<Listed<Organization>>
  /** These return false if the organization does not exist. */
  updateName(id: string, name: string): Awaitable<boolean>
  updatePlan(id: string, plan: Plan): Awaitable<boolean>
}
