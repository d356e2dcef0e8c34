import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { generateAccessLog } from '../../server/commands/demo/access-log.ts'
import { visitsCommand } from '../../server/commands/visits.ts'
import { openStore } from '../../server/store/store.ts'

let folder: string
let log: string
const text = [...generateAccessLog({ seed: 5, lines: 4000, from: 20_700, to: 20_703, paths: ['/', '/a', '/b'] })].join(
  '\n',
)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-visits-import-summary-'))
  log = join(folder, 'access.log')
  writeFileSync(log, text)
  const store = openStore(folder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  const project = { id: 'prj_1', organizationId: 'org_1', name: 'Docs', createdAt: 0 }
  store.projects.insert({ ...project, visitorSaltRotation: 'never', visitorRules: 2 })
  store.close()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

async function run(...args: string[]): Promise<{ output: string; error?: string; exitCode?: number }> {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const failure = await visitsCommand()
    .exitOverride()
    .parseAsync(['import', '--data', folder, ...args], { from: 'user' })
    .then(
      () => ({}),
      error => ({ error: error.message as string, exitCode: error.exitCode as number }),
    )
  const output = printed.mock.calls.flat().join('\n')
  printed.mockRestore()
  return { output, ...failure }
}

test('prints every count as JSON, and the lines add up', async () => {
  const { output, error } = await run(log, '--project', 'prj_1', '--json')
  expect(error).toBeUndefined()
  const summary = JSON.parse(output)
  const add = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0)
  expect(summary.lines).toBe(4000)
  expect(add(summary.pageViews) + add(summary.filtered) + add(summary.malformed)).toBe(4000)
  expect(add(summary.rules)).toBe(add(summary.pageViews))
  const [project] = summary.projects
  expect(summary.projects).toHaveLength(1)
  expect(project).toMatchObject({
    project: 'prj_1',
    lines: 4000,
    visitors: { dateFrom: '2026-09-04', dateTo: '2026-09-07' },
  })
  expect(project.visitors.total).toBeGreaterThan(100)
  expect(summary.newVisitorDays).toBeGreaterThanOrEqual(project.visitors.total)
  expect(summary.files).toEqual([{ file: log, format: 'combined', lines: 4000, unreadLines: expect.any(Number) }])
})

test('a second import adds no visitor', async () => {
  const first = JSON.parse((await run(log, '--project', 'prj_1', '--json')).output)
  const second = JSON.parse((await run(log, log, '--project', 'prj_1', '--json')).output)
  expect(second).toMatchObject({ lines: 8000, newVisitorDays: 0, projects: [{ visitors: first.projects[0].visitors }] })
})

test('prints a summary for people', async () => {
  const printed = (await run(log, '--project', 'prj_1')).output
  expect(printed.split('\n').filter(line => line.length > 80)).toEqual([])
  // A long text continues below its beginning.
  const output = printed.replaceAll(/\n {8,}/g, ' ')
  expect(output).toMatch(/^Lines +4,000 +in [\d.]+ s, [\d,]+ lines\/s, format combined$/m)
  expect(output).toMatch(/^Page views +[\d,]+ +human [\d,]+, AI [\d,]+, neither [\d,]+$/m)
  expect(output).toMatch(/^Filtered +[\d,]+ +(status|asset) /m)
  expect(output).toMatch(
    /^Visitors +\d+ +human \d+, AI \d+; of the project from 2026-09-04 to 2026-09-07 \(exclusive\)$/m,
  )
})

test('a log in another format is counted as malformed, and fails', async () => {
  writeFileSync(log, '{"a":1}\n{"a":2}\n')
  const { output, error, exitCode } = await run(log, '--project', 'prj_1')
  expect(output).toMatch(/^Malformed +2 +wrong-format 2$/m)
  expect(error).toMatch(/access\.log: none of 2 lines is in a known format\.\nFormats: .*combined, .*json/)
  expect(exitCode).toBe(1)
})

test('a log that is not in the given format fails', async () => {
  const { error, exitCode } = await run(log, '--project', 'prj_1', '--format', 'caddy')
  expect(error).toMatch(/access\.log: none of 4000 lines is in format caddy\.\nFormats: .*combined/)
  expect(exitCode).toBe(1)
})

test('the envelope around the lines is removed and named', async () => {
  const plain = JSON.parse((await run(log, '--project', 'prj_1', '--json')).output)
  writeFileSync(log, text.replaceAll(/^/gm, 'Nov 20 10:11:12 web1 nginx: '))
  const { output } = await run(log, '--project', 'prj_1')
  expect(output.replaceAll(/\s+/g, ' ')).toMatch(
    /^Lines 4,000 .* lines\/s, format combined in syslog \(RFC 3164\) lines /,
  )
  const summary = JSON.parse((await run(log, '--project', 'prj_1', '--json')).output)
  expect(summary).toMatchObject({ files: [{ format: 'combined', envelope: 'syslog' }], newVisitorDays: 0 })
  expect(summary.pageViews).toEqual(plain.pageViews)
  const bare = await run(log, '--project', 'prj_1', '--envelope', 'none')
  expect(bare.error).toMatch(/access\.log: none of 4000 lines is in a known format\./)
})

test('fields of --json-fields that no line has are named, and the import fails', async () => {
  writeFileSync(log, JSON.stringify({ t: '2026-09-05T10:00:00Z', m: 'GET', p: '/a', s: 200, a: '203.0.113.9' }))
  const fields = 'time=t,method=m,path=req.url,status=s,userAgent=u,address=a'
  const { error, exitCode } = await run(log, '--project', 'prj_1', '--json-fields', fields)
  expect(error).toMatch(/access\.log: the lines lack req\.url \(path\), u \(userAgent\)\.\nCheck --json-fields\./)
  expect(exitCode).toBe(1)
})

test('a pattern is a format', async () => {
  const pattern =
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
  const plain = JSON.parse((await run(log, '--project', 'prj_1', '--json')).output)
  const { output } = await run(log, '--project', 'prj_1', '--json', '--format', pattern)
  expect(JSON.parse(output)).toMatchObject({
    files: [{ format: 'nginx' }],
    newVisitorDays: 0,
    pageViews: plain.pageViews,
  })
})

test('a truncated file is imported up to the damage and summed up, and fails', async () => {
  const gz = gzipSync(text)
  writeFileSync(`${log}.gz`, gz.subarray(0, gz.length / 2))
  const { output, error, exitCode } = await run(`${log}.gz`, log, '--project', 'prj_1', '--json')
  expect(exitCode).toBe(1)
  expect(error).toMatch(
    /access\.log\.gz is truncated: its compressed data ends too early\.\nThe lines before the damage are/,
  )
  const { lines, files } = JSON.parse(output)
  expect(lines).toBeGreaterThan(5000)
  expect(files.map(({ problem }: { problem?: string }) => problem !== undefined)).toEqual([true, false])
})

test.each([
  [
    'an unknown project',
    ['LOG', '--project', 'prj_9'],
    1,
    /^There is no project prj_9\. See: npx quire projects list$/,
  ],
  ['a missing file', ['LOG', '/none.log', '--project', 'prj_1'], 1, /^\/none\.log does not exist\.$/],
  ['a folder', ['FOLDER', '--project', 'prj_1'], 1, /is a folder\. Give the log files in it/],
  ['standard input twice', ['-', '-', '--project', 'prj_1'], 2, /^- can only be given once\.$/],
])('refuses %s and imports nothing', async (_, args, exitCode, message) => {
  const refused = await run(...args.map(arg => (arg === 'LOG' ? log : arg === 'FOLDER' ? folder : arg)))
  expect(refused).toMatchObject({ exitCode, error: expect.stringMatching(message), output: '' })
  const store = openStore(folder)
  const { totals } = await store.visits.countUniqueVisitors('prj_1', {}, { limit: 1, offset: 0 })
  store.close()
  expect(totals.total).toBe(0)
})

test('takes the project from the environment', async () => {
  vi.stubEnv('QUIRE_PROJECT', 'prj_1')
  const { output } = await run(log, '--json')
  vi.unstubAllEnvs()
  expect(JSON.parse(output)).toMatchObject({ projects: [{ project: 'prj_1', lines: 4000 }] })
})
