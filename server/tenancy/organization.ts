/** `T` now, or a promise of it: SQLite answers at once, a database over a network would not. Callers await. */
export type Awaitable<T> = T | Promise<T>

export type Plan = 'standard' | 'enterprise'

export interface Organization {
  id: string
  name: string
  plan: Plan
  /** Milliseconds since 1970, as every `...At` in the domain. */
  createdAt: number
}

export interface Organizations {
  insert(organization: Organization): Awaitable<void>
  find(id: string): Awaitable<Organization | undefined>
  list(): Awaitable<Organization[]>
  /** False when there is no such organization. */
  updatePlan(id: string, plan: Plan): Awaitable<boolean>
}
