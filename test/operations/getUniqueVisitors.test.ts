import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Input } from '../../generated/operations.ts'
import {
  visitorsETag as createETag,
  findVisitorsETag,
  type VisitorsQuestion,
} from '../../server/operations/getUniqueVisitors.ts'

const question: VisitorsQuestion = {
  projectId: 'prj_1',
  mediaType: 'application/json',
  range: { dateFrom: 1, dateTo: 2 },
  page: { limit: 50, offset: 0 },
}

const hashText = (text: string) => createHash('sha256').update(text).digest('base64url')
const visitorsETag = (asked: VisitorsQuestion, revision: string) => createETag(asked, revision, { hashText })

test('every part of the question and the revision changes the ETag', () => {
  const { page: _, ...withoutPage } = question
  const etags = [
    visitorsETag(question, 'a'),
    visitorsETag(question, 'b'),
    visitorsETag(question, ''),
    visitorsETag({ ...question, projectId: 'prj_2' }, 'a'),
    visitorsETag({ ...question, mediaType: 'text/csv' }, 'a'),
    visitorsETag({ ...question, range: { dateFrom: 1 } }, 'a'),
    visitorsETag({ ...question, range: { dateTo: 2 } }, 'a'),
    visitorsETag({ ...question, range: { dateFrom: 2, dateTo: 2 } }, 'a'),
    visitorsETag({ ...question, page: { limit: 0, offset: 50 } }, 'a'),
    visitorsETag(withoutPage, 'a'),
  ]
  expect(new Set(etags).size).toBe(etags.length)
  for (const etag of etags) expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
  expect(visitorsETag({ ...question }, 'a')).toBe(etags[0])
})

test('asks nothing about the visits of a project that the caller does not own', async () => {
  const deps = {
    projects: { findOwned: async () => undefined },
    visits: {
      findRevision: () => {
        throw new Error('asked for the revision')
      },
    },
  } as unknown as Parameters<typeof findVisitorsETag>[1]
  const input: Input<'getUniqueVisitors'> = {
    params: { projectId: 'prj_of_others' },
    query: { limit: 50, offset: 0 },
    headers: { 'if-none-match': '*' },
    body: undefined,
    mediaType: 'application/json',
  }
  const caller = { organizationId: 'org_1' } as Parameters<typeof findVisitorsETag>[2]
  expect(await findVisitorsETag(input, deps, caller)).toBeUndefined()
})
