// A long file: one test for each habit that all commands share.
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeNewer } from '../support/newer-database.ts'
import { runQuire } from '../support/process.ts'

let folder: string
let organizationId: string
let projectId: string
const quire = (...args: string[]) => runQuire([...args, '--data', join(folder, 'data')])

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-commands-'))
  organizationId = (await quire('orgs', 'create', 'Acme', '--plan', 'enterprise')).stdout.trim()
  projectId = (await quire('projects', 'create', 'Docs', '--org', organizationId)).stdout.trim()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('help and usage', () => {
  test.each([
    [['--help'], 0],
    [['--version'], 0],
    [['keys', 'create', '--help'], 0],
    [['visits', 'import', '--help'], 0],
    [['visits', 'explain', '--help'], 0],
    [['export', '--help'], 0],
    [['serve', '--help'], 0],
    [['backup', '--help'], 0],
    [['restore', '--help'], 0],
    [['doctor', '--help'], 0],
    [['nonsense'], 2],
    [['orgs', 'create'], 2],
    [['keys', 'create'], 2],
    [['orgs', 'create', 'x', '--plan', 'gold'], 2],
    [['serve', '--port', 'x'], 2],
    [['backup'], 2],
    [['backup', ''], 2],
    [['backup', 'backup.zip'], 2],
    [['backup', 'no-such-folder/backup.tar'], 2],
    [['backup', 'backup.tar', '--to', '.'], 2],
    [['backup', 'backup.tar', '--keep', '3'], 2],
    [['backup', '--to', '.', '--overwrite'], 2],
    [['restore', 'no-such-backup.tar', '--check'], 1],
    [['restore'], 2],
    [['restore', 'no-such-backup.tar'], 1],
    [['serve', '--port', '70000'], 2],
    [['serve', '--key-prefix', 'NO'], 2],
    [['serve', '--public-url', 'ftp://x'], 2],
    [['serve', '--link-ttl-seconds', '604801'], 2],
    [['sites', 'create', 'https://docs.example.com', '--project', 'x'], 2],
    [['sites', 'create', 'docs.example.com', '--project', 'x', '--origin', 'nowhere'], 2],
  ])('quire %j ends with %i', async (args, code) => {
    const result = await runQuire(args, { env: { QUIRE_DATA: join(folder, 'data') } })
    expect({ args, code: result.code }).toEqual({ args, code })
    expect(code === 0 ? result.stdout : result.stderr).not.toBe('')
    expect(result.stderr).not.toMatch(/\bat .*\.ts:\d+/)
  })

  test.each([
    [['sites', 'add', 'docs.example.com'], 'create'],
    [['exports', 'show'], 'list'],
    [['keys', 'rm', 'x'], 'revoke'],
  ])('quire %j names the command of this meaning', async (args, meant) => {
    expect((await runQuire(args)).stderr).toContain(`(Did you mean ${meant}?)`)
  })

  test('a missing argument names the help, which has an example', async () => {
    const { code, stderr } = await runQuire(['agent-jobs', 'show'])
    expect([code, stderr]).toEqual([
      2,
      "error: missing required argument 'id'\nSee: npx quire agent-jobs show --help\n",
    ])
    expect((await runQuire(['agent-jobs', 'show', '--help'])).stdout).toContain(
      'Examples:\n  npx quire agent-jobs show aj_',
    )
  })

  test('the help of a long command shows the usual flags, and --help-all shows all', async () => {
    const [usual, all] = await Promise.all([runQuire(['serve', '--help']), runQuire(['serve', '--help-all'])])
    expect(usual.stdout).toMatch(/--port <number>[\s\S]*--help-all +display help with every flag \(\d+ +more\)/)
    expect(usual.stdout).not.toContain('--lease-seconds')
    expect([all.code, all.stdout]).toEqual([0, expect.stringContaining('--lease-seconds')])
  })
})

test('a setting is a flag or an environment variable, and the flag wins', async () => {
  const env = { QUIRE_DATA: join(folder, 'nowhere') }
  expect(await runQuire(['orgs', 'list', '--json'], { env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`There is no database in ${env.QUIRE_DATA}.`),
  })
  const listed = await runQuire(['orgs', 'list', '--json', '--data', join(folder, 'data')], { env })
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: organizationId, name: 'Acme', plan: 'enterprise' }])
})

test('a site stores the pages that its exports exclude', async () => {
  const [domain, patterns] = ['excluding.example.com', ['/internal/*', '*/drafts/*']]
  const excluding = patterns.flatMap(pattern => ['--exclude', pattern])
  await quire('sites', 'create', domain, '--project', projectId, '--no-probe', ...excluding)
  const stored = async () => {
    const sites = JSON.parse((await quire('sites', 'list', '--json')).stdout)
    return sites.find((site: { domain: string }) => site.domain === domain).removal?.excludePages
  }
  expect(await stored()).toEqual(patterns)
  await quire('sites', 'set-features', domain, '--clear')
  expect(await stored()).toBeUndefined()
  const env = { QUIRE_DATA: join(folder, 'data'), QUIRE_EXPORT_EXCLUDE: '/a/*\n/b/*' }
  const refused = await runQuire(['sites', 'set-features', domain], { env })
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Give at least one rule') })
  expect((await runQuire(['sites', 'set-features', domain, '--keep', '.note'], { env })).code).toBe(0)
  expect(await stored()).toEqual([])
  expect(await quire('sites', 'set-features', domain, '--exclude', 'internal')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--exclude: "internal" has no path'),
  })
})

test('a site stores the private origins from which its pages load files', async () => {
  const domain = 'allowing.example.com'
  const origins = ['http://10.0.0.7:9000', 'http://10.0.0.8']
  const stored = async () => {
    const sites = JSON.parse((await quire('sites', 'list', '--json')).stdout)
    return sites.find((site: { domain: string }) => site.domain === domain).allowedOrigins
  }
  const flags = origins.flatMap(origin => ['--allow-origin', `${origin}/`])
  await quire('sites', 'create', domain, '--project', projectId, '--no-probe', ...flags)
  expect(await stored()).toEqual(origins)
  const refused = await quire('sites', 'set-allowed-origins', domain, 'http://10.0.0.7/images/')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/^The origin http:\/\/10.+ must be scheme/) })
  expect((await quire('sites', 'set-allowed-origins', domain, 'https://10.0.0.9')).stdout).toBe(
    `Pages of ${domain} may also load files from https://10.0.0.9. This applies from the next export on.\n`,
  )
  await quire('sites', 'set-allowed-origins', domain)
  expect(await stored()).toEqual([])
})

test('a key is shown once', async () => {
  const created = await quire(
    'keys',
    'create',
    'ci',
    '--org',
    organizationId,
    '--scopes',
    'read',
    '--expires-in-days',
    '1',
  )
  const key = created.stdout.trim()
  expect(key).toMatch(/^quire_[0-9A-Za-z]{36}$/)
  const listed = await quire('keys', 'list', '--json')
  expect(listed.stdout).not.toContain(key)
  const [row] = JSON.parse(listed.stdout)
  expect(row).toMatchObject({ name: 'ci', last4: key.slice(-4), scopes: ['read'], revokedAt: null, lastUsedAt: null })
  expect(Date.parse(row.expiresAt) - Date.parse(row.createdAt)).toBe(86_400_000)
  expect((await quire('keys', 'revoke', row.id)).code).toBe(0)
  expect((await quire('keys', 'revoke', row.id)).code).toBe(1)
})

test('a new key lives for 90 days, or for ever if that is wished', async () => {
  const create = (...flags: string[]) =>
    quire('keys', 'create', 'lifetime', '--org', organizationId, '--json', ...flags)
  const key = JSON.parse((await create()).stdout)
  expect(Date.parse(key.expiresAt) - Date.parse(key.createdAt)).toBe(90 * 86_400_000)
  expect(JSON.parse((await create('--expires-in-days', 'never')).stdout)).toMatchObject({ expiresAt: null })
  const refused = await create('--expires-in-days', '0')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('from 1 to 36500, or never.') })
})

test('a key is bound to projects by their names, and to addresses', async () => {
  const create = (...flags: string[]) => quire('keys', 'create', 'cdn', '--org', organizationId, '--json', ...flags)
  const ranges = ['--allow-from', '203.0.113.0/24', '--allow-from', '2001:db8::/32, 198.51.100.7']
  const made = await create('--scopes', 'ingest', '--project', projectId, ...ranges)
  const bounds = {
    scopes: ['ingest'],
    projectIds: [projectId],
    allowedAddresses: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'],
  }
  expect(JSON.parse(made.stdout)).toMatchObject(bounds)
  const listed = JSON.parse((await quire('keys', 'list', '--json')).stdout)
  expect(listed.find(({ name }: { name: string }) => name === 'cdn')).toMatchObject(bounds)
})

test.each([
  [['--scopes', 'ingest,read'], 'It must be read, write or read,write; or ingest or count alone.'],
  [
    ['--project', 'x'],
    '--project needs --scopes ingest or --scopes count. Keys that read or write are for all projects.',
  ],
  [['--scopes', 'ingest', '--project', 'nothing'], 'There is no project nothing. See: npx quire projects list'],
  [
    ['--allow-from', '10/8'],
    "option '--allow-from <range>' argument '10/8' is invalid. Write addresses or CIDR ranges,",
  ],
])('quire keys create %j is refused', async (flags, problem) => {
  const { code, stdout, stderr } = await quire('keys', 'create', 'refused', '--org', organizationId, ...flags)
  expect([code, stdout]).toEqual([expect.toBeOneOf([1, 2]), ''])
  expect(stderr).toContain(problem)
})

test('an agent job can only take the allowed transitions', async () => {
  const flags = ['--project', projectId]
  const create = [
    'agent-jobs',
    'create',
    ...flags,
    '--repository',
    'https://git.example.com/acme/docs',
    '--model',
    'writer-2',
  ]
  const id = (await quire(...create)).stdout.trim()
  expect((await quire('agent-jobs', 'archive', id, ...flags)).stderr).toContain(
    'is active and cannot become archived. It can only become completed or failed.',
  )
  const pr = 'https://git.example.com/acme/docs/pull/7'
  expect((await quire('agent-jobs', 'complete', id, ...flags, '--pr-link', pr)).code).toBe(0)
  expect((await quire('agent-jobs', 'fail', id, ...flags)).code).toBe(1)
  expect((await quire('agent-jobs', 'archive', id, ...flags)).code).toBe(0)
  const [job] = JSON.parse((await quire('agent-jobs', 'list', ...flags, '--status', 'archived', '--json')).stdout)
  expect(job).toMatchObject({ id, status: 'archived', prLink: pr, source: { ref: null } })
})

test('an import of agent jobs with an invalid line names it, and imports nothing', async () => {
  const good = {
    id: 'aj_i1',
    status: 'active',
    source: { repository: 'https://a.example/b' },
    model: 'm',
    createdAt: '2026-11-20T10:00:00Z',
  }
  const file = join(folder, 'jobs.jsonl')
  await writeFile(file, `${JSON.stringify(good)}\n${JSON.stringify({ ...good, id: 'aj_i2', status: 'done' })}\n`)
  const refused = await quire('agent-jobs', 'import', file, '--project', projectId)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('line 2: status must be one of') })
  await writeFile(file, `${JSON.stringify(good)}\n`)
  expect(JSON.parse((await quire('agent-jobs', 'import', file, '--project', projectId, '--json')).stdout)).toEqual({
    imported: 1,
    alreadyThere: 0,
  })
  expect(JSON.parse((await quire('agent-jobs', 'import', file, '--project', projectId, '--json')).stdout)).toEqual({
    imported: 0,
    alreadyThere: 1,
  })
})

describe('an error that stops a command is one line with exit code 1', () => {
  const expectOneLine = (result: { code: number | null; stderr: string }, text: RegExp) => {
    expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(text) })
    expect(result.stderr.trim().split('\n')).toHaveLength(1)
  }
  const serve = (data: string) => runQuire(['serve', '--port', '0', '--data', data])

  test('a file that is not a database', async () => {
    const data = join(folder, 'garbage')
    await mkdir(data)
    await writeFile(join(data, 'quire.db'), 'this is not a database, but long enough to look like something'.repeat(50))
    expectOneLine(await serve(data), /is not a SQLite database/)
  })

  test('a damaged database', async () => {
    const data = join(folder, 'damaged')
    await runQuire(['orgs', 'create', 'Acme', '--data', data])
    const file = join(data, 'quire.db')
    const bytes = await readFile(file)
    bytes.fill(0xa5, 100, 4096)
    await writeFile(file, bytes)
    expectOneLine(await serve(data), /damaged|not a SQLite database/)
  })

  test('a database of a newer Quire', async () => {
    const data = join(folder, 'newer')
    await runQuire(['orgs', 'create', 'Acme', '--data', data])
    makeNewer(join(data, 'quire.db'))
    expectOneLine(await serve(data), /newer Quire.*Upgrade/)
  })

  test('a data folder that is a file', async () => {
    const data = join(folder, 'file')
    await writeFile(data, '')
    expectOneLine(await serve(data), /data folder is a file/)
  })

  test.skipIf(process.getuid?.() === 0)(
    'a data folder that may not be written (root may write everywhere)',
    async () => {
      const data = join(folder, 'read-only')
      await mkdir(data)
      await chmod(data, 0o555)
      expectOneLine(await serve(data), /is not writable/)
    },
  )

  test('a port in use', async () => {
    const occupant = createServer().listen(0, '127.0.0.1')
    await new Promise(done => occupant.once('listening', done))
    const { port } = occupant.address() as { port: number }
    expectOneLine(
      await runQuire(['serve', '--port', String(port), '--data', join(folder, 'data')]),
      /Port \d+ is in use/,
    )
    occupant.close()
  })

  test('an unknown organization, project, site or key', async () => {
    expectOneLine(await quire('projects', 'create', 'x', '--org', 'org_x'), /no organization org_x/)
    expectOneLine(await quire('sites', 'create', 'a.example.com', '--project', 'prj_x'), /no project prj_x/)
    expectOneLine(await quire('sites', 'delete', 'a.example.com'), /no site a.example.com/)
    expectOneLine(await quire('keys', 'create', 'x', '--org', 'org_x'), /no organization org_x/)
    expectOneLine(await quire('agent-jobs', 'list', '--project', 'prj_x'), /no project prj_x/)
    expectOneLine(await quire('visits', 'import', '-', '--project', 'prj_x'), /project prj_x/)
  })
})
