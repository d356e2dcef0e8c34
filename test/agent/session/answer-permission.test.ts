import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { answerPermission, createToolMemory } from '../../../server/agent/session/answer-permission.ts'

const real = mkdtempSync(join(tmpdir(), 'quire-permission-'))
mkdirSync(join(real, 'docs'))
symlinkSync('/etc', join(real, 'docs/link'))
symlinkSync('/etc/quire-nothing', join(real, 'docs/dangling'))
symlinkSync('loop', join(real, 'docs/loop'))
writeFileSync(join(real, 'docs/page.md'), '')
afterAll(() => rmSync(real, { recursive: true, force: true }))

const options = [
  { optionId: '1', name: 'Always', kind: 'allow_always' as const },
  { optionId: '2', name: 'Once', kind: 'allow_once' as const },
  { optionId: '3', name: 'No', kind: 'reject_once' as const },
]

test.for([
  ['edit', ['/project/docs/a.md'], true],
  ['edit', ['docs/new/b.md'], true],
  ['read', ['/project'], true],
  ['move', ['/project/docs/a.md', '/project/docs/b.md'], true],
  ['delete', ['/project/docs/a.md'], true],
  ['edit', [], false],
  ['edit', ['/project/docs/a.md', '/etc/passwd'], false],
  ['edit', ['/project/../etc/passwd'], false],
  ['edit', ['/workshop/a.md'], false],
  ['edit', ['/project/.git/config'], false],
  ['edit', ['/project/docs/.hidden.md'], false],
  ['read', ['/project/docs/link/passwd'], false],
  ['edit', ['/project/docs/dangling'], false],
  ['edit', ['/project/docs/loop'], false],
  ['edit', ['/project/docs/page.md/below'], false],
  ['execute', ['/project/docs/a.md'], false],
  ['fetch', ['/project/docs/a.md'], false],
  ['other', ['/project/docs/a.md'], false],
] as const)('a tool that wants to %s %j gets the answer %s', ([kind, paths, isAllowed]) => {
  const toolCall = { toolCallId: 't', title: 'A tool', kind, locations: paths.map(path => ({ path })) }
  const answer = answerPermission({ sessionId: 's', toolCall, options }, { seen: '/project', real })
  expect(answer.isAllowed).toBe(isAllowed)
  expect(answer.response).toEqual({ outcome: { outcome: 'selected', optionId: isAllowed ? '2' : '3' } })
  expect(answer.text).toBe([kind, 'A tool', ...paths].join(' '))
})

test.for([
  ['Edit docs/a.md', ['/project/docs/a.md'], 'Edit docs/a.md'],
  ['Edit /project/docs/a.md', ['/project/docs/a.md', 'docs/b.md'], 'Edit /project/docs/a.md docs/b.md'],
  ['Change docs/a.md', ['/project/docs/a.md'], 'edit Change docs/a.md'],
  ['Edit /etc/passwd.md', ['/etc/passwd'], 'Edit /etc/passwd.md /etc/passwd'],
  ['docs/my page.md', ['docs/my page.md'], 'edit docs/my page.md'],
  ['', ['docs/a.md'], 'edit docs/a.md'],
] as const)('the title %j of an edit of %j is logged as %j', ([title, paths, text]) => {
  const toolCall = { toolCallId: 't', title, kind: 'edit' as const, locations: paths.map(path => ({ path })) }
  expect(answerPermission({ sessionId: 's', toolCall, options }, { seen: '/project', real }).text).toBe(text)
})

test('paths in the input of a tool and in its changes are checked too', () => {
  const work = { seen: '/project', real }
  const locations = [{ path: '/project/docs/a.md' }]
  const base = { toolCallId: 't', kind: 'edit' as const, locations }
  const rawInput = { file_path: '/etc/passwd' }
  const severalFiles = { files: [{ path: '/project/docs/a.md' }, { path: '/etc/passwd' }] }
  const content = [{ type: 'diff' as const, path: '/etc/passwd', newText: '' }]
  for (const toolCall of [
    { ...base, rawInput },
    { ...base, rawInput: severalFiles },
    { ...base, content },
  ])
    expect(answerPermission({ sessionId: 's', toolCall, options }, work).isAllowed).toBe(false)
})

test('a tool that reads several files is allowed by the paths in its input', () => {
  const rawInput = { files: [{ path: 'docs/a.md' }, { path: '/project/docs/b.md' }], limits: [1] }
  const toolCall = { toolCallId: 't', kind: 'read' as const, rawInput }
  expect(answerPermission({ sessionId: 's', toolCall, options }, { seen: '/project', real }).isAllowed).toBe(true)
})

test('a question has only what changed since the agent announced the tool', () => {
  const { take, find } = createToolMemory()
  const ask = (toolCall: object) => {
    const given = { sessionId: 's', toolCall: { toolCallId: 't', ...toolCall }, options }
    return answerPermission(given, { seen: '/project', real }, find('t')).isAllowed
  }
  const locations = [{ path: '/project/docs/a.md' }]
  expect(ask({ locations })).toBe(false)
  take({ sessionUpdate: 'tool_call', toolCallId: 't', kind: 'edit' })
  expect([ask({}), ask({ locations }), ask({ locations, kind: 'execute' })]).toEqual([false, true, false])
  take({ sessionUpdate: 'tool_call_update', toolCallId: 't', locations })
  expect(ask({})).toBe(true)
  take({ sessionUpdate: 'tool_call_update', toolCallId: 't', rawInput: { path: '/etc/passwd' } })
  expect(ask({ locations })).toBe(false)
  take({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' })
  expect(find('t')).toBeUndefined()
})

test.for([null, { sessionUpdate: 'tool_call' }, { sessionUpdate: 'tool_call', locations: 7, content: [null, 1] }])(
  'a malformed update %j is taken',
  update => expect(() => createToolMemory().take(update)).not.toThrow(),
)

test('an agent that offers only to allow always is told that the question was cancelled', () => {
  const toolCall = { toolCallId: 't', kind: 'edit' as const, locations: [{ path: '/project/a.md' }] }
  const given = { sessionId: 's', toolCall, options: options.slice(0, 1) }
  expect(answerPermission(given, { seen: '/project', real }).response).toEqual({ outcome: { outcome: 'cancelled' } })
})
