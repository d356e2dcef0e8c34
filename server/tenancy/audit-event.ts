import type { Awaitable } from '../base/awaitable.ts'

export type AuditAction =
  | 'organization.created'
  | 'organization.changed'
  | 'organization.deleted'
  | 'project.created'
  | 'project.changed'
  | 'project.deleted'
  | 'site.created'
  | 'site.changed'
  | 'site.deleted'
  | 'key.created'
  | 'key.rotated'
  | 'key.revoked'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.deleted'
  | 'export.started'
  | 'export.cancelled'
  | 'export.deleted'
  | 'bundle-link.created'
  | 'agent-job.started'
  | 'agent-job.instructed'
  | 'agent-job.cancelled'
  | 'agent-job.archived'
  | 'agent-source.set'
  | 'agent-source.removed'
  | 'person.added'
  | 'person.removed'
  | 'sign-in-link.created'
  | 'signed-in'
  | 'sign-in.refused'
  | 'signed-out'

/** One entry of the audit log: who did what, when and from where. Never a secret. */
export interface AuditEvent {
  /** Grows with each event. */
  id: number
  at: number
  /** The organization that it is about; null = none, or all. */
  organizationId: string | null
  action: AuditAction
  /** Id or domain of the object that was changed. */
  subject: string
  /** A name or a few words for people; null = none. */
  detail: string | null
  /** Who: the name and id of a person, `key NAME (...last4)`, `command line (USER)`, or `schedule`. */
  actor: string
  /** From where: an IP address, or the name of the machine for the command line. */
  address: string
}

/** Append-only: events are never changed, and only deleted by their age. */
export interface AuditLog {
  append(event: Omit<AuditEvent, 'id'>): Awaitable<void>
  /** Lists the newest events first, at most `limit`, those with an id below `before` if it is given. */
  list(options: {
    organizationId?: string | undefined
    before?: number | undefined
    limit: number
  }): Awaitable<AuditEvent[]>
  /** Deletes those of the oldest `limit` events that are from before a time, but not the newest of all. Returns how many there were. */
  expire(before: number, limit: number): Awaitable<number>
}
