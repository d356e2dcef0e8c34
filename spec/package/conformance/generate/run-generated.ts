import { listOperations } from '../laws/base-requests.ts'
import { createRandom } from '../random.ts'
import { type Exchange, LawSkipped, type Session } from '../session.ts'
import { makeInvalidRequest } from './invalid-requests.ts'
import type { GeneratedRequest } from './request.ts'
import { makeValidRequest } from './valid-requests.ts'

/** How many requests were made from the document for an operation. */
export interface GeneratedCount {
  operation: string
  valid: number
  invalid: number
}

/** Statuses that say that the request itself is wrong. */
export const refusals = [400, 405, 406, 411, 413, 414, 415, 422, 431]

/** An operation that accepted so many invalid requests gets no more of them, because each may start an export. */
const maxAccepted = 10

/**
 * Sends requests that are made from the document: valid ones and invalid ones in turn. Valid ones of an extension are its examples,
 * because most of its rules are about what is there.
 */
export async function runGenerated(session: Session): Promise<GeneratedCount[]> {
  const counts: GeneratedCount[] = []
  for (const operation of listOperations(session)) {
    const isExtension = session.extensions.includes(operation)
    const random = createRandom(session.settings.seed, operation.id)
    const count = { operation: operation.id, valid: 0, invalid: 0 }
    counts.push(count)
    for (let i = 0; i < session.settings.maxRequests; i++) {
      const isInvalid = i % 2 === 1
      if (isExtension && !isInvalid) continue
      if (isInvalid && session.recorder.countFailures('negative_data_rejection', operation.id) >= maxAccepted) continue
      const made = (isInvalid ? makeInvalidRequest : makeValidRequest)(random, session, operation)
      count[isInvalid ? 'invalid' : 'valid']++
      try {
        judge(session, made, await session.ask(operation, made.ask))
      } catch (error) {
        if (!(error instanceof LawSkipped)) throw error
      }
    }
  }
  return counts
}

function judge(session: Session, { expected, how }: GeneratedRequest, exchange: Exchange): void {
  const { status } = exchange.answer
  if (expected === 'refused' && status < 500) {
    const fault = () => `The server answered ${status}, although ${how}.`
    session.check('negative_data_rejection', status >= 400, fault, exchange)
  }
  if (expected === 'accepted' && status < 500) {
    const fault = () => `A valid request is refused with ${status}.`
    session.check('positive_data_acceptance', !refusals.includes(status), fault, exchange)
  }
}
