import { access, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateAccessLog } from '../../server/commands/demo/access-log.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { createId } from '../../server/tenancy/id.ts'
import { calledAs, runQuire } from '../support/process.ts'
import { createOrganization } from '../support/server.ts'

let folder: string
let store: Store
let organizationId: string
const data = () => join(folder, 'data')
const at = (name: string) => join(folder, name)
const quire = (args: string[], env: Record<string, string> = {}) => runQuire([...args, '--data', data()], { env })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-visits-import-'))
  store = openStore(data())
  ;({ organizationId } = await createOrganization(store))
})
afterAll(async () => {
  store.close()
  await rm(folder, { recursive: true, force: true })
})

async function createProject(): Promise<string> {
  const id = createId('prj')
  await store.projects.insert({
    id,
    organizationId,
    name: 'Docs',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: Date.now(),
  })
  return id
}

/** About 2 MB of lines in combined format. */
const lines = [...generateAccessLog({ seed: 6, lines: 10_000, from: 20_700, to: 20_703, paths: ['/', '/a', '/b'] })]
const text = `${lines.join('\n')}\n`

async function importJson(args: string[]) {
  const { code, stdout, stderr } = await quire(['visits', 'import', ...args, '--json'])
  return { code, stderr, summary: stdout === '' ? undefined : JSON.parse(stdout) }
}

test.each([
  ['.gz', gzipSync(text)],
  ['.zst', zstdCompressSync(text)],
])(
  'a truncated %s is imported up to the damage, and the whole file later counts no line twice',
  async (suffix, bytes) => {
    const project = await createProject()
    await writeFile(at(`half${suffix}`), bytes.subarray(0, bytes.length - 2000))
    const half = await importJson([at(`half${suffix}`), '--project', project])
    expect(half).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/its compressed data ends too early\.\nThe lines before the damage are imported\./),
    })
    expect(half.summary.lines).toBeGreaterThan(5000)
    expect(half.summary.lines).toBeLessThan(10_000)
    // A partial line at the end is not imported, so no line is malformed.
    const readLines = `${lines.slice(0, half.summary.lines).join('\n')}\n`
    await writeFile(at('same.log'), readLines)
    const same = await importJson([at('same.log'), '--project', await createProject()])
    expect(half.summary.malformed).toEqual(same.summary.malformed)
    expect(half.summary.newVisitorDays).toBe(same.summary.newVisitorDays)

    await writeFile(at(`whole${suffix}`), bytes)
    const rest = await importJson([at(`whole${suffix}`), '--project', project])
    const direct = await importJson([at(`whole${suffix}`), '--project', await createProject()])
    expect(half.summary.newVisitorDays + rest.summary.newVisitorDays).toBe(direct.summary.newVisitorDays)
    expect(rest.summary.projects[0].visitors).toEqual(direct.summary.projects[0].visitors)
  },
)

test('binary garbage is all malformed, and fails', async () => {
  const garbage = Buffer.alloc(2_000_000)
  for (let i = 0; i < garbage.length; i++) garbage[i] = (i * 2_654_435_761) >>> ((i % 3) * 8)
  await writeFile(at('garbage'), garbage)
  const { code, stderr, summary } = await importJson([at('garbage'), '--project', await createProject()])
  expect(code).toBe(1)
  expect(stderr).toMatch(/garbage: none of \d+ lines is in a known format\.\nFormats: .*combined.*json\./)
  expect(summary.malformed['wrong-format'] + summary.malformed['too-long']).toBe(summary.lines)
  expect(summary.projects[0].visitors).toBeNull()
})

test('a line of 1 GB does not affect other lines', async () => {
  const file = at('long.log')
  await writeFile(file, '')
  // Sparse: it reads as zeros.
  await truncate(file, 1e9)
  await writeFile(file, `\n${text}`, { flag: 'a' })
  const project = await createProject()
  const { summary } = await importJson([file, '--project', project])
  expect(summary).toMatchObject({ lines: 10_001, malformed: { 'too-long': 1 } })
  await rm(file)
})

test.each([
  ['1970', '"GET / HTTP/1.1"', '01/Jan/1970:00:00:00 +0000'],
  ['2999', '"GET / HTTP/1.1"', '01/Jan/2999:00:00:00 +0000'],
  ['an offset of a day', '"GET / HTTP/1.1"', '01/Nov/2026:00:00:00 +2500'],
])('a clock that jumps to %s makes bad dates', async (_, request, date) => {
  const bad = `10.0.0.1 - - [${date}] ${request} 200 1 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"`
  await writeFile(
    at('clock.log'),
    `${lines.slice(0, 100).join('\n')}\n${`${bad}\n`.repeat(50)}${lines.slice(100).join('\n')}\n`,
  )
  await writeFile(at('good.log'), text)
  const jumped = await importJson([at('clock.log'), '--project', await createProject()])
  const good = await importJson([at('good.log'), '--project', await createProject()])
  expect(jumped.code).toBe(0)
  expect(jumped.summary.malformed['bad-date']).toBe(good.summary.malformed['bad-date'] + 50)
  expect(jumped.summary.projects[0].visitors).toEqual(good.summary.projects[0].visitors)
})

test('names a data folder without a database, and does not create one', async () => {
  await writeFile(at('cron.log'), text)
  const elsewhere = at('elsewhere')
  const calls = [
    ['import', at('cron.log')],
    ['follow', at('cron.log'), '--once'],
    ['prune', '--keep-days', '400'],
    ['reset', '--yes'],
  ]
  for (const call of calls) {
    const { code, stderr } = await runQuire(['visits', ...call, '--project', 'prj_1', '--data', elsewhere])
    expect({ call, code, stderr }).toEqual({
      call,
      code: 1,
      stderr: `There is no database in ${elsewhere}. Give the server's data folder with --data or QUIRE_DATA, or make one with npx quire init.\n`,
    })
  }
  await expect(access(elsewhere)).rejects.toThrow('ENOENT')
})

test('an empty log is fine', async () => {
  await writeFile(at('empty.log'), '')
  const { code, summary } = await importJson([at('empty.log'), '--project', await createProject()])
  expect(code).toBe(0)
  expect(summary).toMatchObject({ lines: 0, files: [{ file: at('empty.log'), lines: 0 }] })
})

test('refuses folders, sockets, missing files, unknown projects and formats in one sentence, and imports nothing', async () => {
  const project = await createProject()
  await writeFile(at('access.log'), text)
  await mkdir(at('folder'))
  const server = createServer()
  await new Promise<void>(done => server.listen(at('socket'), done))
  await writeFile(at('old.lz4'), Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x5a, 0]))
  await writeFile(at('old.zip'), 'PK\x03\x04')
  const cases: [string[], number, RegExp][] = [
    [
      [at('old.lz4'), '--project', project],
      1,
      /old\.lz4 is compressed by lz4, which is not supported\. Pipe it: lz4 -dc .*old\.lz4 \|/,
    ],
    [[at('old.zip'), '--project', project], 1, /old\.zip is compressed by zip, which is not supported/],
    [[at('folder'), '--project', project], 1, /folder is a folder\. Give the log files in it/],
    [[at('socket'), '--project', project], 1, /socket is not a file\. Give a log file, or - for standard input\./],
    [[at('none.log'), '--project', project], 1, /none\.log does not exist\./],
    [['--project', 'prj_9'], 1, new RegExp(`There is no project prj_9\\. See: ${calledAs} projects list`)],
    [
      ['--by-host'],
      1,
      new RegExp(`No site is registered, so hosts cannot be matched\\. Register one with: ${calledAs} sites create`),
    ],
    [[], 2, /Give --project ID, or --by-host/],
    [['--project', project, '--by-host'], 2, /--project and --by-host cannot be combined/],
    [
      ['--project', project, '--format', 'iis'],
      2,
      /Allowed choices are cloudfront, .*combined.*, json, or a text with variables such as \$remote_addr or %h\./,
    ],
    [['--project', project, '--format', 'json'], 2, /--format json needs --json-fields/],
    [['--project', project, '--json-fields', 'time=t'], 2, /--json-fields lacks method/],
    [['--project', project, '--trusted-proxies', '1'], 2, /--trusted-proxies needs --client-field/],
    [['--project', project, '--client-field', ''], 2, /It must be a field/],
    [['--project', project, '--format', 'combined', '--client-field', 'X-Forwarded-For'], 2, /position of the field/],
  ]
  for (const [args, code, message] of cases) {
    const result = await quire(['visits', 'import', at('access.log'), ...args])
    expect({ args, code: result.code, stderr: result.stderr }).toEqual({
      args,
      code,
      stderr: expect.stringMatching(message),
    })
    expect(result.stderr).not.toMatch(/\bat .*\.ts:\d+/)
  }
  await new Promise(done => server.close(done))
  const { summary } = await importJson([at('access.log'), '--project', project])
  expect(summary.newVisitorDays).toBeGreaterThan(100)
})

test('a log of several sites counts for their projects', async () => {
  const [docs, blog] = [await createProject(), await createProject()]
  await quire(['sites', 'create', 'docs.example.com', '--project', docs, '--no-probe'])
  await quire(['sites', 'create', 'blog.example.com', '--project', blog, '--no-probe'])
  const hosts = ['docs.example.com:443', 'Blog.example.com:80', 'docs.example.com', 'other.example.com']
  await writeFile(at('many.log'), lines.map((line, i) => `${hosts[i % 4]} ${line}`).join('\n'))
  const { code, summary } = await importJson([at('many.log'), '--by-host'])
  expect(code).toBe(0)
  expect(summary.projects.map(({ project }: { project: string }) => project).sort()).toEqual([docs, blog].sort())
  expect(summary.unknownHosts).toEqual({ 'other.example.com': summary.filtered['unknown-host'] })
  for (const [i, id] of [docs, blog].entries()) {
    const own = lines.filter((_, n) => (i === 0 ? n % 2 === 0 : n % 4 === 1))
    await writeFile(at('own.log'), own.join('\n'))
    const direct = await importJson([at('own.log'), '--project', await createProject()])
    const found = summary.projects.find(({ project }: { project: string }) => project === id)
    expect(found.visitors).toEqual(direct.summary.projects[0].visitors)
    expect(found.pageViews).toEqual(direct.summary.pageViews)
  }
  const people = await quire(['visits', 'import', at('many.log'), '--by-host'])
  expect(people.stdout).toMatch(
    new RegExp(
      `^No site +[\\d,]+ {2}other\\.example\\.com [\\d,]+\\. Register one with: ${calledAs.replace(' ', '\\s+')}\\s+sites create`,
      'm',
    ),
  )

  await writeFile(at('access.log'), text)
  const refused = await quire(['visits', 'import', at('access.log'), '--by-host'])
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/Lines in the format combined do not contain the host\. Name one project/)
  const fields = 'time=t,method=m,path=p,status=s,userAgent=u,address=a'
  const unnamed = await quire(['visits', 'import', at('access.log'), '--by-host', '--json-fields', fields])
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringMatching(/or add host=PATH to its fields\.$/m) })
})

test('parallel imports into one or several projects count like sequential ones', async () => {
  const [shared, one, two] = [await createProject(), await createProject(), await createProject()]
  await writeFile(at('a.log'), lines.slice(0, 6000).join('\n'))
  await writeFile(at('b.log'), lines.slice(4000).join('\n'))
  const runs = await Promise.all([
    importJson([at('a.log'), '--project', shared]),
    importJson([at('b.log'), '--project', shared]),
    importJson([at('a.log'), '--project', one]),
    importJson([at('b.log'), '--project', two]),
  ])
  expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(runs.map(() => ({ code: 0, stderr: '' })))
  const again = await importJson([at('a.log'), at('b.log'), '--project', shared])
  await writeFile(at('access.log'), text)
  const direct = await importJson([at('access.log'), '--project', await createProject()])
  expect(again.summary.newVisitorDays).toBe(0)
  expect(again.summary.projects[0].visitors).toEqual(direct.summary.projects[0].visitors)
  const [ofOne, ofTwo] = [one, two].map((_, i) => runs[i + 2]?.summary.projects[0].visitors.total)
  expect(Math.max(ofOne, ofTwo)).toBeLessThan(direct.summary.projects[0].visitors.total)
})

test('every flag has an environment variable', async () => {
  const project = await createProject()
  const pino = join(import.meta.dirname, '../analytics/formats/samples/pino.jsonl')
  const fields =
    'time=time,method=req.method,path=req.url,status=res.statusCode,userAgent=req.headers.user-agent,address=req.remoteAddress'
  const env = {
    QUIRE_PROJECT: project,
    QUIRE_LOG_FORMAT: 'json',
    QUIRE_LOG_JSON_FIELDS: fields,
    QUIRE_LOG_CLIENT_FIELD: 'req.headers.x-forwarded-for',
    QUIRE_LOG_TRUSTED_PROXIES: '2',
    QUIRE_LOG_MARKDOWN_AS_AI: 'yes',
  }
  const { code, stdout } = await quire(['visits', 'import', pino, '--json'], env)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ lines: 7, pageViews: { human: 3, ai: 1 }, files: [{ format: 'json' }] })
  expect(await readFile(pino, 'utf8')).toContain('203.0.113.77')
})
