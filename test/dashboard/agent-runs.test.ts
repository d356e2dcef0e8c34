// A long file: the tests of the pages of agent jobs share how a job is started and run.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { NewAgentEvent } from '../../server/agent/agent-event.ts'
import type { AgentSource } from '../../server/agent/agent-source.ts'
import { hasControls } from '../../server/base/escape-controls.ts'
import { PageNotFound } from '../../server/dashboard/page.ts'
import { agentJobPage } from '../../server/dashboard/pages/agent-job.ts'
import { agentJobsPage } from '../../server/dashboard/pages/agent-jobs.ts'
import { createId } from '../../server/tenancy/id.ts'
import { addOrganization, findInjected, hostileTexts, openPageVisits, type PageVisits } from './page-visit.ts'

let pages: PageVisits
let own: Awaited<ReturnType<typeof addOrganization>>
let problem: string | undefined
let wakes: number

beforeEach(async () => {
  pages = await openPageVisits()
  own = await addOrganization(pages.store)
  problem = undefined
  wakes = 0
  Object.assign(pages.deps, {
    agents: { model: 'writer-2', limits: { active: 2, openPullRequests: 9 }, perHour: 5 },
    findAgentProblem: async () => problem,
    wakeAgents: () => void wakes++,
  })
})
afterEach(() => pages.dispose())

async function putSource(fields: Partial<AgentSource> = {}): Promise<void> {
  const page = 'https://git.example.com/acme/docs'
  const source = { projectId: own.projectId, url: '/srv/docs.git', page, branch: 'main', folders: ['docs'] }
  await pages.store.agentSources.put({ ...source, forge: 'branch', isDraft: false, ...fields }, null)
}

const showList = () => pages.read(agentJobsPage, { organizationId: own.organizationId })
const start = (form: Record<string, string>, organizationId = own.organizationId) =>
  pages.visit(agentJobsPage, { organizationId, query: `project=${own.projectId}`, action: 'start', form })
const paramsOf = (id: string) => ({ organizationId: own.organizationId, params: { projectId: own.projectId, id } })
const showJob = (id: string, query = '') => pages.read(agentJobPage, { ...paramsOf(id), query })
const act = (id: string, action: string, form: Record<string, string> = {}) =>
  pages.visit(agentJobPage, { ...paramsOf(id), action, form })

/** Starts a job over the form, and returns its id. */
async function startJob(prompt = 'Fix the typo.'): Promise<string> {
  const key = createId('aj')
  expect(await start({ prompt, key })).toMatchObject({ notice: 'agent-job-started' })
  return key
}

/** Runs a job as a runner would: with these events, and a change of these files. */
async function runJob(id: string, events: NewAgentEvent[], diff?: string, paths: string[] = ['docs/a.md']) {
  const claimed = await pages.store.agentRuns.claim('r', { model: 'm', perProject: 9, leaseMs: 9e5, now: Date.now() })
  if (claimed?.run.jobId !== id) throw new Error('Another job was claimed.')
  await pages.store.agentRuns.append(claimed.lease, events, Date.now())
  if (diff === undefined) return
  await pages.store.agentRuns.notePush(claimed.lease, `quire/${id}`, 'c'.repeat(40))
  const files = paths.map(path => ({ path, status: 'changed' as const, added: 1, removed: 1 }))
  const usage = { modelCalls: 3, inputTokens: 12_000, outputTokens: 34, cost: { amount: 0.0123, currency: 'USD' } }
  const explanation = 'Changed 1 file.'
  const change = { files, diff, isDiffCut: false }
  await pages.store.agentRuns.end(
    claimed.lease,
    { end: 'changed', explanation, prLink: null, change, usage },
    Date.now(),
  )
}

const smallDiff = `diff --git a/docs/a.md b/docs/a.md
index 1..2 100644
--- a/docs/a.md
+++ b/docs/a.md
@@ -1,2 +1,2 @@
 # A
-teh
+the
`

describe('the form', () => {
  test('starts one job, however often it is sent, and records who did it', async () => {
    await putSource()
    const { text } = await showList()
    const key = /name="key" value="(aj_\w+)"/.exec(text)?.[1] as string
    const leadTo = `/agent-jobs/${own.projectId}/${key}`
    const form = { prompt: 'Fix it.\r\nNow.', key, branch: ' next ', folder: 'docs/guides', draft: 'on' }
    expect(await start(form)).toEqual({ leadTo, notice: 'agent-job-started' })
    expect(await start(form)).toEqual({ leadTo, notice: 'agent-job-form-used' })
    expect(await pages.store.agentRuns.find(own.projectId, key)).toMatchObject({
      ...{ state: 'queued', prompt: 'Fix it.\nNow.', branch: 'next', folder: 'docs/guides', isDraft: true },
    })
    expect(await pages.store.agentJobs.list(own.projectId)).toHaveLength(1)
    expect([await pages.listAudited(), wakes]).toEqual([[`agent-job.started ${key}`], 1])
  })

  test.each([
    ['no instruction', { prompt: ' ' }, 'prompt', 'Write what the agent should do.'],
    ['a long instruction', { prompt: 'x'.repeat(20_001) }, 'prompt', '20,001 characters'],
    ['an option as the branch', { branch: '--upload-pack=x' }, 'branch', 'is not a valid name of a branch'],
    ['another folder', { folder: 'secret' }, 'folder', 'not within the folders that agents may change: docs'],
  ])('says what is wrong at its field, and starts nothing: %s', async (_, form, field, sentence) => {
    await putSource()
    const answer = await start({ prompt: 'x', ...form })
    if (!('content' in answer)) throw new Error('no page')
    expect(answer.status).toBe(400)
    const shown = answer.content.text
    expect(new RegExp(`id="problem-${field}">([^<]*)`).exec(shown)?.[1]).toContain(sentence)
    expect(new RegExp(`name="${field}"[^>]*autofocus`).test(shown)).toBe(true)
    expect(shown.includes('<details open>')).toBe(field !== 'prompt')
    expect(await pages.store.agentJobs.list(own.projectId)).toEqual([])
  })

  test('starts one job when it is sent twice at the same time', async () => {
    await putSource()
    const form = { prompt: 'x', key: createId('aj') }
    const answers = await Promise.all([start(form), start(form)])
    expect(answers.map(answer => 'notice' in answer && answer.notice)).toEqual([
      'agent-job-started',
      'agent-job-form-used',
    ])
    expect(await pages.store.agentJobs.list(own.projectId)).toHaveLength(1)
    expect(await pages.listAudited()).toHaveLength(1)
  })

  test('says a limit in words', async () => {
    await putSource()
    await startJob()
    await startJob()
    const answer = await start({ prompt: 'x' })
    expect(answer).toMatchObject({ status: 429 })
    expect('content' in answer && answer.content.text).toContain('2 agent jobs that are queued or running')
  })

  test('is replaced by one sentence with the remedy', async () => {
    expect((await showList()).text).toContain(
      `npx quire agent-jobs repository set https://git.example.com/acme/docs.git --project ${own.projectId}`,
    )
    await putSource()
    problem = 'The program bwrap is not found; install the package bubblewrap of the system.'
    expect((await showList()).text).toContain(`No agent can be started on this server. ${problem}`)
    pages.deps.agents = undefined
    const { text } = await showList()
    expect(text).toContain('Start it with --agent')
    expect(text).not.toContain('name="prompt"')
  })

  test('of another organization starts nothing', async () => {
    await putSource()
    const other = await addOrganization(pages.store)
    await expect(start({ prompt: 'x' }, other.organizationId)).rejects.toThrow(PageNotFound)
    expect(await pages.store.agentJobs.list(own.projectId)).toEqual([])
  })
})

describe('the page of a job that Quire runs', () => {
  beforeEach(() => putSource())

  test('renews its parts while the agent is at work, and cancels', async () => {
    const id = await startJob()
    await runJob(id, [{ kind: 'message', text: 'I begin.' }])
    const { text } = await showJob(id)
    for (const part of ['agent-job-state', 'agent-job', 'agent-cancel', 'agent-change', 'agent-message', 'agent-log'])
      expect(text).toContain(`id="${part}" data-live="1500"`)
    expect(text.indexOf('I begin.')).toBeLessThan(text.lastIndexOf('Fix the typo.'))
    const leadTo = `/agent-jobs/${own.projectId}/${id}`
    expect(await act(id, 'cancel')).toEqual({ leadTo, notice: 'agent-job-cancelled' })
    expect((await showJob(id)).text).toContain('The job is being cancelled')
    expect(await pages.store.agentRuns.find(own.projectId, id)).toMatchObject({ isCancelling: true })
    expect((await pages.listAudited()).at(-1)).toBe(`agent-job.cancelled ${id}`)
  })

  test('shows what came of it, and the lines of the diff by element and sign', async () => {
    const id = await startJob()
    await runJob(id, [], smallDiff)
    const { text } = await showJob(id)
    for (const shown of [
      'The change is ready for review. Changed 1 file.',
      '1 file, +1 and -1 lines',
      `quire/${id}`,
      '12,000 in, 34 out',
      '0.0123 USD, as the agent',
    ])
      expect(text).toContain(shown)
    expect(text).toContain('<pre class="diff"><b>@@ -1,2 +1,2 @@\n</b> # A\n<del>-teh\n</del><ins>+the\n</ins></pre>')
    expect(text).not.toContain('data-live')
    expect(await act(id, 'cancel')).toMatchObject({ notice: 'agent-job-had-ended' })
    expect(await act(id, 'message', { prompt: 'More.' })).toMatchObject({ notice: 'agent-job-instructed' })
    expect(await pages.store.agentRuns.find(own.projectId, id)).toMatchObject({ state: 'queued', turn: 2 })
    expect((await showJob(id)).text).not.toContain('<pre class="diff">')
    const refused = await act(id, 'message', { prompt: 'Again.' })
    expect('content' in refused && refused.content.text).toContain('The message was not sent. The job is active.')
  })

  test('has events in pages, shortens a long one, and says where the diff is cut', async () => {
    const id = await startJob()
    const events = Array.from({ length: 119 }, (_, at) => ({
      kind: 'message' as const,
      text: `event number ${at + 2}.`,
    }))
    await runJob(
      id,
      [...events, { kind: 'check', text: `${'y'.repeat(5000)}the end` }],
      smallDiff + ' same\n'.repeat(5000),
    )
    const { text } = await showJob(id)
    expect(text).toContain('Events 73 to 122 of 122.')
    expect(text).not.toContain('event number 72.')
    expect(text).not.toContain('the end')
    expect((await showJob(id, 'to=122&event=121')).text).toContain('the end')
    const older = await showJob(id, /\?to=\d+(?=#agent-log">Older)/.exec(text)?.[0].slice(1))
    expect(older.text).toContain('event number 72.')
    expect(older.text).toContain('Newest events')
    expect(text).toContain('only the first 500 lines of the diff')
    expect(text).toContain(`git diff origin/main...FETCH_HEAD`)
    expect(text.length).toBeLessThan(60_000)
  })

  test('an archived job has no form, and a failed one offers its instruction again', async () => {
    const id = await startJob('Do <this>.')
    await act(id, 'cancel')
    const { text } = await showJob(id)
    expect(text).toContain('>Do &lt;this&gt;.</textarea>')
    expect(/id="agent-job-state">(.*?)<\/p>/s.exec(text)?.[1]?.match(/The job was cancelled/g)).toHaveLength(1)
    expect(text).toContain('href="../../../../docs/run-agents#how-a-job-ends"')
    await act(id, 'archive')
    expect((await showJob(id)).text).not.toContain('<textarea')
  })
})

test('a repository without a page is named and never linked', async () => {
  await putSource({ page: 'https://local.invalid/docs' })
  const id = await startJob()
  for (const { text } of [await showList(), await showJob(id)]) {
    expect(text).toContain('docs (a folder on the server)')
    expect(text).not.toContain('local.invalid')
  }
  expect((await showList()).text).toContain('works on the branch main of docs (a folder on the server).')
})

test('the list has the beginning of each instruction, and how it ended', async () => {
  await putSource()
  const [done, cancelled] = [
    await startJob(`  Fix <b>the</b> typo.\n${'More. '.repeat(50)}`),
    await startJob(`Add ${'x'.repeat(5000)}`),
  ]
  await runJob(done, [], smallDiff)
  await act(cancelled, 'cancel')
  const rows = (await showList()).text.split('<tr>')
  const rowOf = (id: string) => rows.find(row => row.includes(`>${id}</a>`))
  expect(rowOf(done)).toContain('data-label="Instruction">Fix &lt;b&gt;the&lt;/b&gt; typo.</td>')
  expect(rowOf(done)).toContain('change ready for review')
  expect(rowOf(cancelled)).toContain(`>Add ${'x'.repeat(75)}…</td>`)
  expect(rowOf(cancelled)).toContain('<span class="quiet">cancelled</span>')
  await act(done, 'message', { prompt: 'And the other one.' })
  const again = (await showList()).text.split('<tr>').find(row => row.includes(`>${done}</a>`))
  expect(again).toContain('>And the other one.</td>')
  expect(again).not.toContain('change ready for review')
})

test('a list of reported jobs has no instructions', async () => {
  const source = { repository: 'https://git.example.com/acme/docs', ref: null }
  const job = { projectId: own.projectId, id: 'aj_reported', status: 'active', source, model: 'm' } as const
  await pages.store.agentJobs.insert({ ...job, prLink: null, createdAt: 0, archivedAt: null })
  expect((await showList()).text).not.toContain('<th scope="col">Instruction')
  await putSource()
  await startJob()
  const row = (await showList()).text.split('<tr>').find(row => row.includes('>aj_reported</a>'))
  expect(row).toContain('data-label="Instruction"></td>')
})

describe('the page of a job whose log has expired', () => {
  beforeEach(() => putSource())

  test('says that the log and the change have expired, and still shows the instructions and ends', async () => {
    const id = await startJob('Fix the first typo.')
    await runJob(
      id,
      Array.from({ length: 60 }, () => ({ kind: 'message' as const, text: 'Secret.' })),
      smallDiff,
    )
    await pages.store.agentRuns.expireLogs(Date.now() + 1, 1000)
    const { text } = await showJob(id)
    expect(text).toContain('Events up to number 62 were deleted because of their age, except instructions and ends.')
    const log = /<ol class="log".*<\/ol>/s.exec(text)?.[0]
    for (const kept of ['Fix the first typo.', 'Changed 1 file.']) expect(log).toContain(kept)
    const change = /id="agent-change">(.*?)<\/div>/s.exec(text)?.[1]
    expect(change).toContain('<h2>Change</h2>')
    expect(change).toContain(`git fetch origin quire/${id} &amp;&amp; git diff origin/main...FETCH_HEAD`)
    expect(text).not.toMatch(/Secret|Older events|class="diff"/)
    await act(id, 'message', { prompt: 'Go on.' })
    await runJob(
      id,
      Array.from({ length: 60 }, (_, at) => ({ kind: 'message' as const, text: `number ${at + 64}.` })),
    )
    const newest = (await showJob(id)).text
    expect(newest).toContain('number 74.')
    expect(newest).not.toContain('number 73.')
    const older = (await showJob(id, 'to=73')).text
    for (const shown of ['Fix the first typo.', 'Go on.', 'number 73.']) expect(older).toContain(shown)
    expect(older).not.toContain('number 74.')
  })

  test('of a job without a change, only the log has expired', async () => {
    const id = await startJob()
    await act(id, 'cancel')
    await pages.store.agentRuns.expireLogs(Date.now() + 1, 1000)
    const { text } = await showJob(id)
    expect(text).toContain('Events up to number 2 were deleted')
    expect(text).toContain('id="agent-change"></div>')
  })
})

test.each([...hostileTexts, '\u202egnp.exe\u001b[2J\u0007'])('%j stays a text in every place', async hostile => {
  await putSource({ page: 'https://git.example.com/acme/docs', folders: [] })
  const id = await startJob(hostile)
  const diff = `diff --git a/x b/x\n@@ -1 +1 @@ ${hostile}\n-${hostile}\n+${hostile}\n ${hostile}\n`
  const kinds = ['message', 'thought', 'tool', 'plan', 'permission', 'check'] as const
  await runJob(
    id,
    kinds.map(kind => ({ kind, text: hostile, outcome: hostile })),
    diff,
    [hostile],
  )
  const refused = await start({ prompt: hostile, branch: `..${hostile}`, folder: hostile, key: hostile })
  expect(findInjected((await showList()).text).faults).toEqual([])
  const shown = [(await showJob(id)).text, 'content' in refused ? refused.content.text : '']
  expect(shown.flatMap(text => findInjected(text).faults)).toEqual([])
  const isShown = (text: string) => findInjected(text).texts.some(each => each.includes(hostile))
  expect(shown.map(isShown)).toEqual([!hasControls(hostile), true])
  expect(hasControls((shown[0] ?? '').replaceAll('\n', ''))).toBe(false)
})
