import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { projectsCommand } from '../../server/commands/projects.ts'
import { visitsCommand } from '../../server/commands/visits.ts'
import { openStore } from '../../server/store/store.ts'
import { project } from '../store/tenants.ts'

let data = ''
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'quire-projects-set-'))
  const store = openStore(data)
  await store.organizations.insert({ id: 'org_a', name: 'Acme', plan: 'standard', createdAt: 0 })
  await store.projects.insert(project('prj_a'))
  await store.close()
})
afterEach(() => rmSync(data, { recursive: true }))

async function run(command: 'projects' | 'visits', ...args: string[]) {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const program = command === 'projects' ? projectsCommand() : visitsCommand()
  for (const child of program.commands) child.exitOverride().configureOutput({ writeErr: () => undefined })
  const failure = await program.parseAsync([...args, '--data', data], { from: 'user' }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  const output = printed.mock.calls.flat().join('\n')
  printed.mockRestore()
  return { output, failure }
}

const line =
  '203.0.113.9 - - [20/Nov/2026:10:11:12 +0000] "GET /internal/a HTTP/1.1" 200 512 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"'

test('settings are kept, shown, and written to the audit log', async () => {
  const none = 'prj_a: own addresses none; no pages none; more pages none; more agents none; AI all'
  expect(await run('projects', 'set', 'prj_a')).toEqual({ output: none, failure: undefined })
  const { output } = await run('projects', 'set', 'prj_a', '--own-addresses', '203.0.113.0/24, 2001:db8::1')
  expect(output).toMatch(
    /^prj_a: own addresses 203\.0\.113\.0\/24, 2001:db8::1; .*\nThis holds for what is counted from now on/,
  )
  await run('projects', 'set', 'prj_a', '--not-pages', '/status/index.html,/internal/*', '--ai', 'assistants')
  const kept = {
    ownAddresses: ['203.0.113.0/24', '2001:db8::1'],
    notPages: ['/status', '/internal/*'],
    pages: [],
    agents: [],
    ai: 'assistants',
    aiSince: expect.any(Number),
  }
  expect(JSON.parse((await run('projects', 'set', 'prj_a', '--json')).output)).toEqual({ project: 'prj_a', ...kept })
  await run('projects', 'set', 'prj_a', '--own-addresses', '')
  const store = openStore(data)
  expect((await store.projects.find('prj_a'))?.counting).toEqual({ ...kept, ownAddresses: [] })
  const events = await store.auditLog.list({ limit: 9 })
  expect(
    events.map(({ action, detail }) => [action, detail?.replace('more pages none; more agents none; ', '')]),
  ).toEqual([
    ['project.changed', 'own addresses none; no pages /status, /internal/*; AI assistants'],
    ['project.changed', 'own addresses 203.0.113.0/24, 2001:db8::1; no pages /status, /internal/*; AI assistants'],
    ['project.changed', 'own addresses 203.0.113.0/24, 2001:db8::1; no pages none; AI all'],
  ])
  await store.close()
})

test.each([
  ['--own-addresses', '203.0.113.0/33', 'is neither an address nor a block such as 203.0.113.0/24.'],
  ['--not-pages', 'status', 'status must begin with a slash.'],
  ['--not-pages', '/a*b*', '/a*b* may have one star, at its end, and no query.'],
  ['--own-addresses', Array.from({ length: 201 }, (_, i) => `10.0.0.${i}`).join(','), 'It may have 200 entries.'],
  ['--pages', '*pdf', '*pdf must be a star and an extension, such as *.pdf.'],
  ['--agents-file', '/no/agents.json', 'It cannot be read (ENOENT).'],
  ['--ai', 'people', 'Allowed choices are all, assistants.'],
])('%s %s is refused, and nothing changes', async (flag, value, message) => {
  const { failure } = await run('projects', 'set', 'prj_a', flag, value)
  expect(failure).toContain(flag)
  expect(failure).toContain(message)
  const store = openStore(data)
  expect(await store.projects.find('prj_a')).toEqual(project('prj_a'))
  await store.close()
})

test('a line is explained with the settings of its project', async () => {
  const countsAs = async () =>
    (await run('visits', 'explain', '--line', line, '--project', 'prj_a')).output.split('\n')[0]
  expect(await countsAs()).toBe('Counts as  page view of /internal/a on 2026-11-20, human')
  await run('projects', 'set', 'prj_a', '--not-pages', '/internal/*')
  expect(await countsAs()).toBe('Counts as  filtered: no-page')
  await run('projects', 'set', 'prj_a', '--not-pages', '', '--own-addresses', '203.0.113.9')
  expect(await countsAs()).toBe('Counts as  filtered: own-address')
})

test('an agents file is kept with the project, and removed', async () => {
  const file = join(data, 'agents.json')
  const ourBot = { name: 'OurBot', class: 'assistant', contains: ['OurBot/'] }
  writeFileSync(file, JSON.stringify({ agents: [ourBot] }))
  const explain = (...args: string[]) => run('visits', 'explain', 'OurBot/1.0', ...args)
  expect((await run('projects', 'set', 'prj_a', '--agents-file', file)).output).toContain(
    'more agents OurBot (assistant)',
  )
  expect((await explain('--project', 'prj_a')).output).toMatch(/entry 1 of the agents of the project\s+\(OurBot\)/)
  expect((await explain('--agents-file', file)).output).toContain('Rule       ai: OurBot')
  writeFileSync(file, JSON.stringify({ agents: [ourBot, { ...ourBot, class: 'bot' }] }))
  const { failure } = await run('projects', 'set', 'prj_a', '--agents-file', file)
  expect(failure).toContain(`'${file}' is invalid. agents, entry 2, class: It must be one of`)
  const kept = async () => JSON.parse((await run('projects', 'set', 'prj_a', '--json')).output).agents
  expect(await kept()).toEqual([{ ...ourBot, ranges: [], complete: false }])
  await run('projects', 'set', 'prj_a', '--agents-file', '')
  expect(await kept()).toEqual([])
  expect((await explain('--project', 'prj_a')).output).toContain('Rule       isbot: bots')
})

test('what is a page in a project is explained', async () => {
  const asked = line.replace('/internal/a', '/manual.pdf')
  await run('projects', 'set', 'prj_a', '--pages', '/api/*,*.PDF')
  const { output } = await run('visits', 'explain', '--line', asked, '--project', 'prj_a')
  expect(output).toMatch(/Page +\/manual\.pdf, a page by the settings of this project/)
})
