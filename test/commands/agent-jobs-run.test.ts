import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { agentJobsCommand } from '../../server/commands/agent-jobs.ts'
import { closeWorld, openWorld, type World } from '../support/agent-world.ts'

let world: World
let written: string
beforeAll(async () => {
  world = await openWorld({ agent: 'demo' })
})
afterAll(() => closeWorld(world))
beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    written += String(text)
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

async function agentJobs(...args: string[]): Promise<string> {
  written = ''
  const where = ['--project', world.projectId, '--data', world.server.dataFolder]
  await agentJobsCommand().parseAsync([...args, ...where], { from: 'user' })
  return written
}

test('a job is followed to its branch, goes on after a message, and can be read as JSON', async () => {
  const run = await agentJobs('run', 'replace "teh" with "the"', '--follow')
  const id = /^Job (aj_\w+)$/m.exec(run)?.[1] as string
  expect(run).toMatch(new RegExp(`^The change is on the branch quire/${id} \\([0-9a-f]{40}\\)\\.$`, 'm'))
  for (const instruction of [' ', 'x'.repeat(20_001)])
    await expect(agentJobs('message', id, instruction)).rejects.toMatchObject({ exitCode: 2 })
  expect(await agentJobs('message', id, 'replace "page" with "sheet"', '--follow')).not.toContain('"teh"')
  expect(world.repository.git('show', `quire/${id}:docs/a.md`)).toBe('# A\n\nThis is the sheet.')
  const diff = await agentJobs('show', id, '--diff')
  expect([diff.match(/^[-+][^-+].*$/gm), await agentJobs('show', 'aj_none').catch(String)]).toEqual([
    ['-This is teh page.', '+This is the sheet.'],
    expect.stringContaining('has run no job aj_none'),
  ])
  const log = vi.spyOn(console, 'log').mockReturnValue()
  await agentJobs('show', id)
  await agentJobs('show', id, '--json')
  const [shown, json] = log.mock.calls.map(([text]) => String(text))
  expect(shown).toMatch(
    new RegExp(
      `^${id}: changed\\. .+\nInstruction 2: replace "page" with "sheet"\nChange: 1 file, \\+1 and -1 lines, on quire/${id} \\([0-9a-f]{40}\\)\nUsed: 0 model calls$`,
    ),
  )
  expect(JSON.parse(json ?? '')).toMatchObject({ jobId: id, state: 'ended', end: 'changed', turn: 2, files: 1 })
  expect(await agentJobs('logs', id)).toMatch(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d prompt: replace "teh" with "the"$/m)
  const events = (await agentJobs('logs', id, '--json'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  expect(events[0]).toEqual({
    ...{ jobId: id, sequence: 1, kind: 'prompt', text: 'replace "teh" with "the"', outcome: null },
    at: expect.stringMatching(/^20.*Z$/),
  })
  await expect(agentJobs('cancel', id)).rejects.toThrow('has already ended')
  await expect(agentJobs('message', 'aj_none', 'x')).rejects.toThrow('has run no job aj_none')
})
