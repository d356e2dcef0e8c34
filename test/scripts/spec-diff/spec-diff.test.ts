import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acceptChanges } from '../../../scripts/spec-diff/accepted.ts'
import { writeChangelog } from '../../../scripts/spec-diff/changelog.ts'
import { compareDocuments } from '../../../scripts/spec-diff/documents.ts'
import { printChanges } from '../../../scripts/spec-diff/print.ts'
import { compareWithReleased } from '../../../scripts/spec-diff/released.ts'
import { type ChangeId, rules } from '../../../scripts/spec-diff/rules.ts'
import { judgeVersion } from '../../../scripts/spec-diff/verdict.ts'
import { keywordMutations } from './keyword-mutations.ts'
import { agentJob, type Node, property, released, schema, visitors } from './mutations.ts'
import { otherMutations } from './other-mutations.ts'
import { requestMutations } from './request-mutations.ts'
import { responseMutations } from './response-mutations.ts'

const mutations = [...requestMutations, ...responseMutations, ...otherMutations, ...keywordMutations]

function change(mutate: (mutant: Node) => void): { before: Node; after: Node } {
  const after = structuredClone(released)
  mutate(after)
  return { before: released, after }
}

test('a document has no changes to itself', () => {
  expect(compareDocuments(released, structuredClone(released))).toEqual([])
})

test('every rule has an edit', () => {
  const judged = new Set(mutations.flatMap(({ ids }) => ids))
  expect(Object.keys(rules).filter(id => !judged.has(id as ChangeId))).toEqual([])
})

test.each(mutations)('$level: $change', ({ level, ids, prepare, mutate }) => {
  const before = structuredClone(released)
  prepare?.(before)
  const after = structuredClone(before)
  mutate(after)
  expect(after).not.toEqual(before)
  const changes = compareDocuments(before, after)
  expect(new Set(changes.map(({ id }) => id))).toEqual(new Set(ids))
  if (ids.length > 0) expect(changes[0]?.level).toBe(level)
  expect(judgeVersion(changes, { released: '2.0.0', current: '2.1.0' }).problem === undefined).toBe(
    level !== 'breaking',
  )
})

test('a change of a shared component is listed once, with all operations', () => {
  const { before, after } = change(mutant => delete schema(mutant, 'ExportJob').properties.pageCount)
  const [removed] = compareDocuments(before, after)
  expect(removed).toMatchObject({
    id: 'response-property-removed',
    place: 'schema ExportJob.pageCount',
    operations: ['startStaticExportJob', 'getStaticExportJob'],
  })
})

test('a new required field of an answer is not breaking, and stops servers on the stub', () => {
  const stub = 'Servers that use the stub do not compile until they have it.'
  const { before, after } = change(mutant => {
    Object.assign(schema(mutant, 'ExportBundle').properties, { fileName: { type: 'string' } })
    schema(mutant, 'ExportBundle').required.push('fileName')
  })
  expect(compareDocuments(before, after)).toMatchObject([{ level: 'not breaking', text: `Added, required. ${stub}` }])
  const optional = change(mutant => schema(mutant, 'ExportJob').required.pop()).after
  expect(compareDocuments(optional, released)).toMatchObject([
    { level: 'not breaking', text: `It is now required. ${stub}` },
  ])
})

test('the same schema is judged in both directions', () => {
  const narrow = (mutant: Node) => {
    const answer = agentJob(mutant).responses['200'].content['application/json']
    answer.schema = { $ref: '#/components/schemas/StartExport' }
  }
  const before = structuredClone(released)
  narrow(before)
  const after = structuredClone(before)
  property(after, 'StartExport', 'format').enum.pop()
  expect(compareDocuments(before, after).map(({ id, level }) => [id, level])).toEqual([
    ['request-enum-value-removed', 'breaking'],
    ['response-enum-value-removed', 'not breaking'],
  ])
})

test('a schema that contains itself is compared once', () => {
  const nest = (document: Node) =>
    Object.assign(schema(document, 'AgentJob').properties, { parent: { $ref: '#/components/schemas/AgentJob' } })
  const before = structuredClone(released)
  nest(before)
  const after = structuredClone(before)
  property(after, 'AgentJob', 'status').enum.push('paused')
  expect(compareDocuments(before, after)).toHaveLength(1)
})

describe('the version', () => {
  const breaking = change(mutant => delete mutant.paths['/v2/agent/{projectId}/job/{id}'])
  const changes = compareDocuments(breaking.before, breaking.after)

  test.each([
    { current: '2.0.0', problem: /^1 breaking change needs a new major version\. .*3\.0\.0\.$/ },
    { current: '2.9.0', problem: /needs a new major version/ },
    { current: '3.0.0', problem: undefined },
    { current: '1.9.9', problem: /is lower than the released version 2\.0\.0/ },
  ])('a breaking change in $current', ({ current, problem }) => {
    const verdict = judgeVersion(changes, { released: '2.0.0', current })
    if (problem) expect(verdict.problem).toMatch(problem)
    else expect(verdict.problem).toBeUndefined()
  })

  test('must be three numbers', () => {
    expect(() => judgeVersion([], { released: '2.0.0', current: 'v3' })).toThrow('info.version in spec/openapi.yaml')
  })
})

describe('accepted changes', () => {
  const { before, after } = change(mutant =>
    Object.assign(property(mutant, 'StartExport', 'version'), { pattern: '^.*$' }),
  )
  const changes = compareDocuments(before, after)
  const entry = { id: 'request-pattern-changed', place: 'schema StartExport.version', reason: 'It allows more.' }

  test('are not breaking, and name the reason', () => {
    expect(acceptChanges(changes, [entry])).toMatchObject([
      { level: 'not breaking', text: expect.stringMatching(/Accepted: It allows more\.$/) },
    ])
  })

  test.each([
    { fault: 'without a reason', given: [{ ...entry, reason: '' }], message: 'lacks id, place or reason' },
    { fault: 'of nothing', given: [{ ...entry, place: 'schema X' }], message: 'there is no breaking change' },
  ])('an entry $fault is refused', ({ given, message }) => {
    expect(() => acceptChanges(changes, given)).toThrow(message)
  })
})

const verdict = { released: '2.0.0', current: '2.0.0', problem: undefined }

test('the report lists breaking changes first, with place, id and operations', () => {
  const { before, after } = change(mutant => {
    visitors(mutant).parameters.push({ name: 'site', in: 'query', schema: { type: 'string' } })
    property(mutant, 'ExportJob', 'status').enum.push('paused')
  })
  const text = printChanges(compareDocuments(before, after), { ...verdict, problem: 'Undo it.' })
  expect(
    text,
  ).toBe(`spec/ (2.0.0), compared with the released document (2.0.0): 1 breaking, 1 not breaking, 0 documentation.

BREAKING

  schema ExportJob.status: "paused" was added. Clients receive what they do not expect.
    response-enum-value-added: startStaticExportJob, getStaticExportJob

NOT BREAKING

  GET /v1/analytics/{projectId}/visitors: query parameter site: Added, optional.
    parameter-added: getUniqueVisitors

Undo it.`)
})

describe('the changelog', () => {
  const changelog = '# Changelog\n\n## 0.2.0 (unreleased)\n\nNews.\n\n### Server\n\n- One.\n\n## 0.1.0\n\n- Old.\n'
  const { before, after } = change(mutant => {
    property(mutant, 'ExportJob', 'status').enum.push('paused')
    property(mutant, 'ExportJob', 'status').description = 'The state.'
    agentJob(mutant).deprecated = true
  })
  const changes = compareDocuments(before, after)
  const entry = `### Changes of the API from 2.0.0 to 3.0.0

Breaking:

- \`schema ExportJob.status\`: "paused" was added. Clients receive what they do not expect.

Not breaking:

- \`GET /v2/agent/{projectId}/job/{id}\`: It is now deprecated.

Descriptions and examples of \`getStaticExportJob\`, \`startStaticExportJob\` changed.
`
  const written = writeChangelog(changelog, changes, { ...verdict, current: '3.0.0' })

  test('gets an entry in the unreleased version', () => {
    expect(written).toBe(changelog.replace('### Server', `${entry}\n### Server`))
  })

  test('has one entry, however often it is written, and none without changes', () => {
    expect(writeChangelog(written, changes, { ...verdict, current: '3.0.0' })).toBe(written)
    expect(writeChangelog(written, [], verdict)).toBe(changelog)
  })

  test('keeps the entries of released versions', () => {
    const later = `# Changelog\n\n## 0.3.0 (unreleased)\n\n${written.slice(written.indexOf('## 0.2.0')).replace(' (unreleased)', '')}`
    expect(writeChangelog(later, [], verdict)).toBe(later)
  })

  test('without an unreleased version is refused, with the remedy', () => {
    expect(() => writeChangelog('# Changelog\n\n## 0.1.0\n', changes, verdict)).toThrow('Add a heading')
  })
})

test('the contract may be released: no change breaks clients of the released document', async () => {
  const { changes, verdict } = await compareWithReleased(join(import.meta.dirname, '../../..'), released)
  expect(verdict.problem, printChanges(changes, verdict)).toBe(undefined)
})
