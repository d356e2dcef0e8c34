import type { Operation } from '../operations.ts'
import type { Ask } from '../session.ts'

/** A request that was made from the document. */
export interface GeneratedRequest {
  operation: Operation
  ask: Ask
  /**
   * `accepted`: nothing is wrong with it, so it must not be refused as invalid. `refused`: it breaks the document. `documented`: it
   * matches the schemas, and may break a rule that they cannot express, such as a day that does not exist.
   */
  expected: 'accepted' | 'refused' | 'documented'
  /** How it breaks the document. */
  how?: string
}
