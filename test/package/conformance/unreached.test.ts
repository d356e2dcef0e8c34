import { expect, test } from 'vitest'
import { readOperations } from '../../../spec/package/conformance/operations.ts'
import type { Session } from '../../../spec/package/conformance/session.ts'
import { fillSettings } from '../../../spec/package/conformance/settings.ts'
import { groupByReason, listUnreached } from '../../../spec/package/conformance/unreached.ts'
import { document } from './conformance-document.ts'

const operations = readOperations(document)

function list(settings: { readKey?: string; writeKey?: string }, reached: string[] = []) {
  const session = {
    settings: fillSettings({ url: 'http://h', key: 'k', ...settings }),
    operations,
    extensions: [],
    known: { domain: false },
    reached: new Set(reached),
  }
  return listUnreached(session as unknown as Session).unreached
}

const reasonOf = (unreached: ReturnType<typeof list>, name: string, wanted: number) =>
  unreached.find(({ operation, status }) => operation === name && status === wanted)?.reason

test('a 403 needs a key with the other scope, or says that the given key is not one', () => {
  expect(reasonOf(list({}), 'getAgentJob', 403)).toBe('Set --write-key to a key without the scope read.')
  expect(reasonOf(list({ writeKey: 'w' }), 'getAgentJob', 403)).toBe(
    'The key of --write-key was not refused. Check that it lacks the scope read.',
  )
  expect(reasonOf(list({ readKey: 'r' }), 'startStaticExportJob', 403)).toBe(
    'The key of --read-key was not refused. Check that it lacks the scope write.',
  )
  expect(reasonOf(list({}, ['getAgentJob 403 application/json']), 'getAgentJob', 403)).toBeUndefined()
})

test('every reason ends with a sentence, and responses are grouped by it', () => {
  const unreached = list({})
  const groups = groupByReason(unreached)
  expect(groups.flatMap(({ responses }) => responses)).toHaveLength(unreached.length)
  for (const { reason } of groups) expect(reason).toMatch(/\.$/)
  expect(groups.find(({ reason }) => reason.startsWith('No answer for the project'))?.responses).toEqual([
    'getUniqueVisitors 200',
    'getUniqueVisitors 200 text/csv',
    'getUniqueVisitors 304',
  ])
})
