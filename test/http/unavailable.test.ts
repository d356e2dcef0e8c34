import { expect, test } from 'vitest'
import { UnavailableError, type UnavailableReason } from '../../server/base/unavailable-error.ts'
import { toHttpError } from '../../server/http/errors.ts'

const answers: Record<UnavailableReason, [sentence: RegExp, retryAfter: string]> = {
  locked: [/^The database of the server is locked by another process\. Nothing was changed\./, '5'],
  unreachable: [/^The database of the server cannot be reached\. Nothing was changed\./, '5'],
  'read-only': [/^The database of the server is read-only\. Nothing was changed\./, '5'],
  storage: [/^The storage of the bundles cannot be reached\. Nothing was lost\./, '10'],
  busy: [/Try again in 5 seconds\.$/, '5'],
  full: [/^The disk of the server is full\. Nothing was changed\./, '60'],
}

test.each(Object.entries(answers))('a store that is %s gives a 503 with its own sentence', (reason, answer) => {
  const error = toHttpError(new UnavailableError(reason as UnavailableReason, 'CODE'))
  expect(error.status).toBe(503)
  expect(error.message).toMatch(answer[0])
  expect(error.headers).toEqual({ 'Retry-After': answer[1] })
})
