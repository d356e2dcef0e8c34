import type { Awaitable } from '../base/awaitable.ts'
import { escapeControls } from '../base/escape-controls.ts'
import type { Listed, ListPart } from './list-part.ts'

/** Someone who may sign in to the dashboard. */
export interface Person {
  id: string
  /** The organization that the person may see and change; null = an operator, who may see and change all. */
  organizationId: string | null
  name: string
  createdAt: number
}

export interface People {
  insert(person: Person): Awaitable<void>
  find(id: string): Awaitable<Person | undefined>
  /** Lists the members of an organization, the operators (null), or everyone (undefined), by name. */
  list(organizationId?: string | null): Awaitable<Person[]>
  /** Lists members of an organization, or operators (null), whose name contains a text, by name. */
  listPart(organizationId: string | null, part: ListPart): Awaitable<Listed<Person>>
  /** Finds the member of an organization, or the operator (null), with this name. */
  findNamed(organizationId: string | null, name: string): Awaitable<Person | undefined>
  /** Deletes the person with their links and sessions. Returns false if the person does not exist. */
  delete(id: string): Awaitable<boolean>
}

/** Names a person in the audit log. */
export function describePerson({ name, id }: Person): string {
  return `${escapeControls(name)} (${id})`
}
