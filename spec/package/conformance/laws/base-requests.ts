import type { Operation } from '../operations.ts'
import type { Ask, Session } from '../session.ts'

/** Returns the operations in the order of the document. */
export function listOperations({ operations }: Session): Operation[] {
  return Object.values(operations)
}

/** Returns a valid request of an operation, which starts nothing on a server that checks what the caller changes. */
export function baseRequest({ settings }: Session, { body }: Operation): Ask {
  return body ? { body: { domain: settings.domain } } : {}
}
