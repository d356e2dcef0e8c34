import type { Steps } from '../base/steps.ts'
import type { AuditEvent } from '../tenancy/audit-event.ts'
import { describePerson, type Person } from '../tenancy/person.ts'
import type { ChangedNouns, DashboardDeps } from './deps.ts'

/** What a person did, without who, when and from where. Never a secret. */
export type ChangeEvent = Pick<AuditEvent, 'action' | 'subject'> & Partial<Pick<AuditEvent, 'detail'>>

/**
 * Makes a change and appends its audit events, in one transaction: all, or none if one of them fails. Appends nothing if the
 * change returns false, because it found nothing to change.
 */
export type RecordChange = <T>(
  events: ChangeEvent | readonly ChangeEvent[],
  change: (nouns: ChangedNouns) => Steps<T>,
) => Promise<T>

/** Returns the function that records the changes of a person. */
export function createChangeRecorder(
  { atomically, now }: Pick<DashboardDeps, 'atomically' | 'now'>,
  { person, organizationId, address }: { person: Person; organizationId: string | null; address: string },
): RecordChange {
  return async (events, change) =>
    atomically(function* (nouns) {
      const result = yield* change(nouns)
      if (result === false) return result
      for (const { action, subject, detail = null } of [events].flat()) {
        yield* nouns.auditLog.append({
          at: now(),
          organizationId,
          action,
          subject,
          detail,
          actor: describePerson(person),
          address,
        })
      }
      return result
    })
}
