import { hostname, userInfo } from 'node:os'
import type { Awaitable } from '../base/awaitable.ts'
import type { Steps } from '../base/steps.ts'
import type { AuditEvent } from '../tenancy/audit-event.ts'
import type { NounsInSteps } from './nouns.ts'
import type { Store } from './store.ts'

/** What a command did, without who, when and from where. Never a secret. */
export type CommandEvent = Pick<AuditEvent, 'action' | 'subject' | 'organizationId'> &
  Partial<Pick<AuditEvent, 'detail'>>

/** Makes the audit event of a change by the user of this process, now. */
export function toCommandEvent({ detail = null, ...event }: CommandEvent): Omit<AuditEvent, 'id'> {
  return { ...event, detail, at: Date.now(), actor: `command line (${nameUser()})`, address: hostname() }
}

/**
 * Makes the change of a command and appends its audit event, in one transaction. Appends nothing if the change returns false,
 * because it found nothing to change.
 */
export function recordChange<T>(
  store: Pick<Store, 'atomically'>,
  event: CommandEvent,
  change: (nouns: NounsInSteps) => Steps<T>,
): Awaitable<T> {
  return store.atomically(function* (nouns) {
    const result = yield* change(nouns)
    if (result !== false) yield* nouns.auditLog.append(toCommandEvent(event))
    return result
  })
}

/** The name of the user of this process, or its number if the system has no name for it, as in containers. */
function nameUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
