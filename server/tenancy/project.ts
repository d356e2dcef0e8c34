import type { Awaitable } from '../base/awaitable.ts'
import type { Listed, ListPart } from './list-part.ts'

/** How often the key of the visitor hash changes. A visitor who visits in two periods counts as two visitors. */
export type SaltRotation = 'never' | 'month' | 'day'

export interface Project {
  id: string
  organizationId: string
  name: string
  visitorSaltRotation: SaltRotation
  createdAt: number
}

export interface Projects {
  insert(project: Project): Awaitable<void>
  /**
   * Finds a project. Also returns undefined if it belongs to another organization, so callers cannot detect that it exists.
   */
  findOwned(organizationId: string, id: string): Awaitable<Project | undefined>
  /** Finds the oldest project of an organization with this name. */
  findNamed(organizationId: string, name: string): Awaitable<Project | undefined>
  find(id: string): Awaitable<Project | undefined>
  list(organizationId?: string): Awaitable<Project[]>
  /** Lists projects whose name or id contains a text, the oldest first. */
  listPart(organizationId: string, part: ListPart): Awaitable<Listed<Project>>
}
