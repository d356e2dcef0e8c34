import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parseDay } from '../../server/analytics/day.ts'
import { type PageView, toViewBatch } from '../../server/analytics/view-batch.ts'
import { visitsCommand } from '../../server/commands/visits.ts'
import { openStore } from '../../server/store/store.ts'
import { runQuire } from '../support/process.ts'

let folder: string
const day = parseDay('2026-11-02') as number

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-visits-show-'))
  const store = openStore(join(folder, 'data'))
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  const project = { organizationId: 'org_1', visitorSaltRotation: 'never', visitorRules: 2, createdAt: 0 } as const
  store.projects.insert({ ...project, id: 'prj_1', name: 'Docs' })
  store.projects.insert({ ...project, id: 'prj_2', name: 'Empty' })
  store.projects.insert({ ...project, id: 'prj_3', name: 'Pruned' })
  store.projects.insert({ ...project, id: 'prj_4', name: 'Read' })
  await store.visits.recordBatch('prj_1', toViewBatch(listVisits()))
  const view = { visitor: Buffer.alloc(16, 1), path: '/', day, kind: 'human' } as const
  await store.visits.recordBatch('prj_3', toViewBatch([view]))
  await store.visits.pruneSeen('prj_3', day + 1)
  await store.visits.recordBatch('prj_3', toViewBatch([{ ...view, day: day + 1 }]))
  store.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** People and an AI agent read two pages on two days. One visitor is both. A program comes on one day. */
function listVisits(): PageView[] {
  const view = (who: number, path: string, kind: PageView['kind'], on = day): PageView => ({
    visitor: Buffer.alloc(16, who),
    path,
    day: on,
    kind,
  })
  const people = Array.from({ length: 20 }, (_, i) => view(i, '/', 'human'))
  return [
    ...people,
    view(1, '/guide', 'human', day + 1),
    view(1, 'from:claude.ai/guide', 'label', day + 1),
    view(2, '/guide', 'ai'),
    view(2, 'agent:Markdown view', 'label'),
    view(2, 'file:ai:Markdown', 'label'),
    view(50, '/', 'ai'),
    view(50, '/guide', 'ai', day + 1),
    view(50, 'agent:GPTBot', 'label'),
    view(50, 'agent:GPTBot', 'label', day + 1),
    view(51, 'neither:http-library: curl', 'label'),
    view(52, 'agent:=1+1', 'label', day + 1),
    view(50, 'read:llms.txt:GPTBot', 'label'),
    view(3, 'failed:human:missing/old chatgpt.com', 'label'),
    view(50, 'failed:ai:missing/old GPTBot', 'label', day + 1),
    view(4, 'failed:human:broken/guide', 'label'),
  ]
}

async function run(...args: string[]): Promise<{ output: string; error?: string; exitCode?: number }> {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const command = visitsCommand()
  for (const child of command.commands) child.exitOverride().configureOutput({ writeErr: () => undefined })
  const failure = await command.parseAsync([...args, '--data', join(folder, 'data')], { from: 'user' }).then(
    () => ({}),
    error => ({ error: error.message as string, exitCode: error.exitCode as number }),
  )
  const output = printed.mock.calls.flat().join('\n')
  printed.mockRestore()
  return { output, ...failure }
}

test('show draws the totals with their overlap, days, pages, agents, files, referrals and programs', async () => {
  const { output } = await run('show', '--project', 'Docs')
  expect(output).toMatch(/^Visitors of Docs \(prj_1\), 2026-11-02 to 2026-11-03 UTC\n/)
  for (const line of [
    /^People +20 +█+/m,
    /^AI +2 +█+/m,
    /^Total +21 +█+/m,
    /^1 visitor counts as people and as AI, and once in the total\.$/m,
    /^2026-11-02 Mon +21 +20 +2 +█+░+$/m,
    /^2026-11-03 Tue +2 +1 +1 +█+░+$/m,
    /^\/ +21 +20 +1 +█+░+$/m,
    /^\/guide +3 +1 +2 +█+░+$/m,
    /^training +1 +█+/m,
    /^GPTBot +training +1 +2 +100 % +█+/m,
    /^PAGES is how many of the 2 pages with visitors in these days the agent read\.$/m,
    /^Markdown +1 +0 +0 +█+/m,
    /^GPTBot +llms\.txt +1 +█+/m,
    /^Claude +claude\.ai +1 +█+/m,
    /^\/guide +Claude +0 +1 +█+/m,
    /^http-library: curl +1 +█+/m,
  ]) {
    expect(output).toMatch(line)
  }
  for (const line of output.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('show draws pages that failed, and a filter leaves the lists that know it', async () => {
  const all = await run('show', '--project', 'Docs')
  expect(all.output).toMatch(/^PAGE NOT FOUND .*\n\/old +1 +1 +GPTBot, chatgpt\.com/m)
  expect(all.output).toMatch(/^PAGE WITH A SERVER ERROR .*\n\/guide +1 +0 /m)
  const { output } = await run('show', '--project', 'Docs', '--class', 'training')
  expect(output).toMatch(/^\/old +0 +1 +GPTBot +█/m)
  expect(output).not.toMatch(/VISITORS .*People|SERVER ERROR|READ AS|FROM AI/s)
  const json = JSON.parse((await run('show', '--project', 'Docs', '--agent', 'GPTBot', '--json')).output)
  expect(json).toMatchObject({ filter: { agent: 'GPTBot' }, labels: { agents: [{ agent: 'GPTBot' }], files: [] } })
})

test('a filter narrows the totals, also of one page, and refuses a table of the whole site', async () => {
  const show = async (...flags: string[]) =>
    JSON.parse((await run('show', '--project', 'Docs', '--json', ...flags)).output)
  const all = await show()
  const agent = await show('--agent', 'GPTBot')
  const { visitors } = agent.labels.agents[0]
  expect(agent.totals).toEqual({ human: 0, ai: visitors, both: 0, total: visitors })
  expect(visitors).toBeLessThan(all.totals.total)
  const [{ path, ...counts }] = all.pages
  const page = await show('--page', `${path}/`)
  expect(page).toMatchObject({ filter: { page: path }, totals: counts, pages: [{ path, ...counts }] })
  expect((await run('show', '--project', 'Docs', '--page', path)).output).toContain('VISITORS')
  const { output, error } = await run(
    'show',
    '--project',
    'Docs',
    '--csv',
    '--table',
    'neither',
    '--assistant',
    'ChatGPT',
  )
  expect(output + error).toContain('--assistant needs another --table')
})

test('show says when nothing matches a filter, and refuses a path that is none', async () => {
  const { output } = await run('show', '--project', 'Docs', '--agent', 'NoSuchBot')
  expect(output).toMatch(/\n\nNothing in these days matches the filter\.$/)
  const { error } = await run('show', '--project', 'Docs', '--path', 'guide')
  expect(error).toContain('It must begin with a slash, such as /docs/api.')
})

test('show says since when it is known what agents read, and lists what assistants read', async () => {
  const store = openStore(join(folder, 'data'))
  const read = (path: string, on: number): PageView[] =>
    [path, 'agent:ChatGPT-User'].map(path => ({
      visitor: Buffer.alloc(16, 9),
      path,
      day: on,
      kind: path.startsWith('/') ? 'ai' : 'label',
    }))
  await store.visits.recordBatch('prj_4', toViewBatch(read('/', day)))
  await store.visits.pruneSeen('prj_4', day + 1)
  await store.visits.recordBatch('prj_4', toViewBatch(read('/guide', day + 1)))
  store.close()
  const { output } = await run('show', '--project', 'Read')
  expect(output).toMatch(/^ChatGPT-User +assistant +2 +1 +50 % /m)
  expect(output.replaceAll('\n', ' ')).toContain(
    'agent read since 2026-11-03: the visitors of earlier days were deleted.',
  )
  expect(output).toMatch(/^\/guide +ChatGPT +1 +0$/m)
  expect(output).toContain('Nobody came from an AI assistant')
})

test('show says how many people loaded a page, unless the log has no such lines', async () => {
  expect((await run('show', '--project', 'Docs')).output).not.toContain('loaded the page')
  const store = openStore(join(folder, 'data'))
  const visitor = Buffer.alloc(16, 1)
  await store.visits.recordBatch('prj_3', toViewBatch([{ visitor, path: 'loaded:', day: day + 1, kind: 'label' }]))
  store.close()
  const { output } = await run('show', '--project', 'Pruned')
  expect(output).toContain('1 of 2 people had a browser that loaded the page: ')
  expect((await run('show', '--project', 'Pruned', '--path', '/')).output).not.toContain('loaded the page')
})

test('show compares a range with the one before', async () => {
  const { output } = await run('show', '--project', 'Docs', '--from', '2026-11-03', '--compare', 'previous')
  expect(output).toMatch(/^People +1 +20 +-95 %/m)
  expect(output).toContain('BEFORE is 2026-11-02 to 2026-11-02.')
  expect(output).toMatch(/^\/guide +2 +1 +1 +1 +\+100 %/m)
  const args = ['show', '--project', 'Docs', '--from', '2026-11-03', '--compare', 'previous', '--csv']
  const csv = await runQuire(['visits', ...args, '--data', join(folder, 'data')])
  expect(csv.stdout).toMatch(/^path,human,ai,total,humanBefore,aiBefore,totalBefore\r\n[\s\S]*^\/,0,0,0,20,1,21\r$/m)
  expect(await run('show', '--project', 'Docs', '--compare', 'year')).toMatchObject({ exitCode: 2 })
})

test('show limits each list, and says how much more there is', async () => {
  const { output } = await run('show', '--project', 'Docs', '--limit', '1')
  expect(output).toMatch(/^\/ +21.*\n1 more: use --limit/m)
  expect(output).toMatch(/^AI AGENT.*\n.*\n2 more: use --limit/m)
})

test('show counts any range, exactly', async () => {
  const { output } = await run('show', '--project', 'Docs', '--from', '2026-11-03', '--to', '2026-11-04', '--json')
  expect(JSON.parse(output)).toMatchObject({
    project: 'prj_1',
    name: 'Docs',
    dateFrom: '2026-11-03',
    dateTo: '2026-11-04',
    totals: { human: 1, ai: 1, both: 0, total: 2 },
    pages: [{ path: '/guide', human: 1, ai: 1, total: 2 }],
    labels: { neither: [], referrals: { visitors: 1 } },
  })
})

test('show says when there are no visits', async () => {
  expect(await run('show', '--project', 'Empty')).toEqual({ output: 'No visits of Empty (prj_2) in these days.' })
  const never = ['show', '--project', 'Docs', '--from', '2030-01-01']
  expect(await run(...never)).toEqual({ output: 'No visits of Docs (prj_1) in these days.' })
})

test.each([
  [['show', '--project', 'Docs', '--from', '2026-11-03', '--to', '2026-11-03'], 2, /^--to must be after --from/],
  [['show', '--project', 'Docs', '--from', '2026-02-30'], 1, /It must be a date, such as 2026-11-20/],
  [['show', '--project', 'Docs', '--last-days', '3', '--from', '2026-11-03'], 1, /cannot be used with/],
  [['show', '--project', 'Docs', '--table', 'agents'], 2, /^--table needs --csv/],
  [['show', '--project', 'Docs', '--csv', '--json'], 1, /cannot be used with/],
  [['show', '--project', 'Nobody'], 1, /^There is no project Nobody/],
  [['export', '--project', 'Docs', '--json'], 2, /^--json prints a summary of the file/],
  [['export', '--project', 'Docs', '-o', '.'], 2, /is a folder\. Name a file, such as pages\.csv\.$/],
])('%j is refused', async (args, exitCode, message) => {
  expect(await run(...args)).toMatchObject({ exitCode, error: expect.stringMatching(message), output: '' })
})

test('export writes a table to a file, replaces it, and never writes through a link in the way', async () => {
  const file = join(folder, 'agents.csv')
  writeFileSync(join(folder, 'precious'), 'x')
  symlinkSync('precious', `${file}.part`)
  writeFileSync(file, 'old')
  const args = ['export', '--project', 'Docs', '--table', 'agents', '--by', 'day', '-o', file]
  expect(await run(...args)).toEqual({ output: `Wrote 4 rows to ${file}.` })
  expect(readFileSync(file, 'utf8').split('\r\n')).toEqual([
    'date,agent,use,visitors',
    '2026-11-02,GPTBot,training,1',
    '2026-11-02,Markdown view,unknown,1',
    "2026-11-03,'=1+1,unknown,1",
    '2026-11-03,GPTBot,training,1',
    '',
  ])
  expect(JSON.parse((await run(...args, '--json')).output)).toEqual({
    project: 'prj_1',
    file,
    table: 'agents',
    rows: 4,
  })
  expect(readdirSync(folder).sort()).toEqual(['agents.csv', 'data', 'precious'])
  expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('x')
})

test('export and show write the same CSV to standard output, and JSON', async () => {
  const data = ['--project', 'Docs', '--data', join(folder, 'data')]
  const csv = 'path,human,ai,total\r\n/,20,1,21\r\n/guide,1,2,3\r\n'
  expect(await runQuire(['visits', 'export', ...data])).toMatchObject({ code: 0, stdout: csv, stderr: '' })
  expect(await runQuire(['visits', 'show', '--csv', ...data])).toMatchObject({ code: 0, stdout: csv })
  const { stdout } = await runQuire(['visits', 'export', '--format', 'json', '--table', 'days', ...data])
  expect(JSON.parse(stdout)).toEqual([
    { date: '2026-11-02', human: 20, ai: 2, both: 1, total: 21 },
    { date: '2026-11-03', human: 1, ai: 1, both: 0, total: 2 },
  ])
})

test('show says where pruned visitors count twice, and nothing of days that add up to the total', async () => {
  const { output } = await run('show', '--project', 'Pruned')
  expect(output).toMatch(/^Total +2 /m)
  expect(output).toMatch(/^The visitors before 2026-11-03 were pruned, so those who came before and after$/m)
  expect(output).not.toContain('add up to more')
})
