import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RunError } from '../../../server/agent/run-end.ts'
import { createDemoAgent } from '../../../server/agent/session/presets.ts'
import { describeProgram } from '../../../server/assets.ts'
import {
  bubblewrap,
  canBecomeNobody,
  confinements,
  prepareSession,
  runSession,
  runSessionAsNobody,
} from '../../support/agent-session.ts'
import { fakeAgent } from '../../support/fake-agents.ts'

const limits = [
  ['flood', { events: 500 }, '500 events'],
  ['flood', { outputBytes: 3e6 }, 'more than 3 MB'],
  ['memory', { memoryBytes: 250 * 1024 ** 2 }, '250 MB of memory'],
  ['bomb', { processes: 40 }, '40 processes'],
  ['disk', { diskBytes: 50 * 1024 ** 2 }, '50 MB of disk'],
  ['unread', {}, ''],
] as const
const cases = confinements.flatMap(confinement => limits.map(limit => [confinement, ...limit] as const))

test.for(cases)('the limits end an agent: %o %s', async ([confinement, mode, limits, sentence]) => {
  const error = await runSession(prepareSession(fakeAgent(mode), confinement, { limits }))
  expect([error?.code, error?.message]).toEqual(['resource_limit', expect.stringContaining(sentence)])
})

test.for(confinements)('an agent that ignores every signal ends: %o', async confinement => {
  const stopping = new AbortController()
  const options = prepareSession(fakeAgent('deaf'), confinement, { signal: stopping.signal })
  const onEvent = () => stopping.abort(new RunError('time_limit', 'The time is up.'))
  expect((await runSession({ ...options, onEvent }))?.code).toBe('time_limit')
})

test.for(confinements)('an agent that does not answer ends: %o', async confinement => {
  const signal = AbortSignal.timeout(2000)
  const error = await runSession(prepareSession(fakeAgent('silent'), confinement, { signal }))
  expect(error?.code).toBe('internal')
})

test.for(confinements)('the demo agent says what it is and follows its patterns: %o', async confinement => {
  const options = prepareSession(createDemoAgent(describeProgram('agent/session/demo-agent')), confinement)
  expect(await runSession(options, 'Replace "teh" with "the".\nAdd a section Usage to docs/a.md')).toBeUndefined()
  expect(options.events[0]?.text).toContain('I am the demo agent. I use no model')
  expect(readFileSync(join(options.work, 'docs/a.md'), 'utf8')).toContain('## Usage')
})

test('the demo agent says what it understands, and what it does not find', async () => {
  const options = prepareSession(createDemoAgent(describeProgram('agent/session/demo-agent')), { kind: 'none' })
  expect(await runSession(options, 'You work on pages.\n\nThe instruction:\n\nTranslate it.')).toBeUndefined()
  const said = options.events.map(({ text }) => text).join('')
  expect(said).toContain('I do not understand this instruction. I understand these patterns: replace "X" with "Y"')
  expect(readFileSync(join(options.work, 'docs/a.md'), 'utf8')).toMatch(/\n> Note of the demo agent: Translate it\.\n$/)
  const other = prepareSession(createDemoAgent(describeProgram('agent/session/demo-agent')), { kind: 'none' })
  await runSession(other, 'replace "nowhere" with "x"\nadd a section "Usage" to b.md')
  expect(other.events.map(({ text }) => text).join('')).toMatch(
    /No page has the text "nowhere"\.\s+There is no page b\.md\. The pages: docs\/a\.md\./,
  )
})

const nobody = test.runIf(bubblewrap && canBecomeNobody)

nobody('as another user than root, an agent edits a page', async () => {
  const { error, events, page } = await runSessionAsNobody(fakeAgent('ok'), null)
  expect([error, page, events.length]).toEqual([undefined, '# A\n\nThis is the page.\n', 3])
})

nobody('as another user than root, a confined agent reaches nothing else', async () => {
  const { error, events } = await runSessionAsNobody(fakeAgent('look', '1'), {
    url: 'http://127.0.0.1:1/v1',
    key: 'the-real-key',
  })
  expect(error?.code).toBe('model_refused')
  // The end of the model is told as an event of its own, at once.
  const found = JSON.parse(events.find(({ kind }) => kind === 'message')?.text ?? '')
  expect(found).toMatchObject({ knowsKey: false, tcp: 'ECONNREFUSED', dns: 'failed', home: 'done' })
  expect(found.write).toEqual(found.write.map(() => expect.stringMatching(/^(EROFS|EACCES)$/)))
})

nobody.for([
  ['bomb', { processes: 40 }],
  ['memory', { memoryBytes: 250 * 1024 ** 2 }],
  ['flood', {}],
] as const)('as another user than root, the limits end an agent: %s', async ([mode, limits]) => {
  const { error } = await runSessionAsNobody(fakeAgent(mode), null, limits)
  expect(error?.code).toBe('resource_limit')
})
