import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { dropVisitorWarnings, toLine } from '../analytics/follow/numbered-lines.ts'
import { RotatingWriter, type Rotation } from '../analytics/follow/rotating-writer.ts'
import { waitFor } from '../support/export-site.ts'
import { calledAs, runQuire, startFollow } from '../support/process.ts'
import { createOrganization } from '../support/server.ts'

let folder: string
let log: string
let store: Store
let args: string[]
let projectId: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-follow-'))
  log = join(folder, 'access.log')
  store = openStore(join(folder, 'data'))
  projectId = (await createOrganization(store)).projectId
  args = [log, '--project', projectId, '--data', join(folder, 'data'), '--grace-seconds', '1']
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function countVisitors(): Promise<number> {
  return (await store.visits.countUniqueVisitors(projectId, {}, { limit: 1, offset: 0 })).totals.total
}

test('5 rotations of both kinds under load and a restart: no line is lost or counted twice', async () => {
  const writer = new RotatingWriter(log, { linesPerSecond: 2000 })
  let follow = startFollow(args)
  let lines = 0
  // Waits for the first counted line, because files that were rotated before are not read.
  await waitFor(async () => ((await countVisitors()) > 0 ? true : undefined))
  const rotations: Rotation[] = ['rename', 'copytruncate', 'copytruncate', 'rename', 'copytruncate']
  for (const [i, how] of rotations.entries()) {
    await setTimeout(500)
    await writer.rotate(how)
    if (i !== 2) continue
    expect(await follow.end('SIGTERM')).toBe(0)
    lines += follow.status()?.lines ?? 0
    follow = startFollow(args)
  }
  const written = await writer.stop()
  await waitFor(async () => ((await countVisitors()) === written ? true : undefined), 20_000)
  expect(await follow.end('SIGINT')).toBe(0)
  expect(dropVisitorWarnings(follow.errors())).toBe('')
  expect(follow.status()?.aheadBytes).toBe(0)
  expect(lines + (follow.status()?.lines ?? 0)).toBe(written)
  expect(lines).toBeGreaterThan(0)
})

test('a run with --once fails when no line is in a known format', async () => {
  writeFileSync(log, 'nothing of the kind\n'.repeat(3))
  const { code, stdout, stderr } = await runQuire(['visits', 'follow', '--once', ...args])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `${log}: none of 3 lines is in a known format. Set the format (see --help): the next start reads the lines again.\n`,
  })
  expect(stdout).toMatch(/^3 lines .* malformed 3;/)
})

test('--once counts the added lines, and prints a summary', async () => {
  const writer = new RotatingWriter(log, { linesPerSecond: 1000 })
  await setTimeout(300)
  const written = await writer.stop()
  const first = await runQuire(['visits', 'follow', '--once', ...args])
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toMatch(new RegExp(`^${written.toLocaleString('en-US')} lines in [\\d.]+ s: page views human `))
  const second = await runQuire(['visits', 'follow', '--once', '--json', ...args])
  expect(JSON.parse(second.stdout)).toMatchObject({ log, project: projectId, lines: 0, aheadBytes: 0 })
  expect(await countVisitors()).toBe(written)
})

test('--by-host counts for the projects of the hosts, and names hosts without a site', async () => {
  store.sites.insert({ domain: 'docs.example', projectId, origin: null, createdAt: 0 })
  const hosts = ['docs.example:443', 'other.example', 'docs.example']
  writeFileSync(log, hosts.map((host, i) => `${host} ${toLine(i)}`).join(''))
  const byHost = [log, '--by-host', '--data', join(folder, 'data'), '--once']
  const first = await runQuire(['visits', 'follow', ...byHost, '--json'])
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(first.stdout)).toMatchObject({
    log,
    lines: 3,
    newVisitorDays: 2,
    unknownHosts: { 'other.example': 1 },
  })
  expect(await countVisitors()).toBe(2)
  writeFileSync(log, `other.example ${toLine(3)}`, { flag: 'a' })
  const second = await runQuire(['visits', 'follow', ...byHost])
  expect(second.stdout).toMatch(/^1 line in .*; no site for other\.example\n$/)
})

test.each([
  [
    'an unknown project',
    ['LOG', '--project', 'prj_9'],
    1,
    `There is no project prj_9. See: ${calledAs} projects list\n`,
  ],
  [
    'a log of many sites if no site is registered',
    ['LOG', '--by-host'],
    1,
    /^No site is registered, so hosts cannot be matched\./,
  ],
  [
    'both --project and --by-host',
    ['LOG', '--by-host', '--project', 'prj_9'],
    2,
    '--project and --by-host cannot be combined.\n',
  ],
  ['standard input', ['-'], 1, `Standard input cannot be followed. Use: ${calledAs} visits import -\n`],
  ['a compressed file', ['LOG.gz'], 1, /access\.log\.gz is compressed, so it never grows\./],
  ['a device', ['/dev/null'], 1, `/dev/null is not a regular file. Use: ${calledAs} visits import\n`],
  [
    'a client field that the format does not have',
    ['LOG', '--format', 'combined', '--client-field', 'X'],
    2,
    '--client-field X is not valid for this format. Give the position of the field after the user agent (1 = the first), or the word "last".\n',
  ],
  ['an invalid grace time', ['LOG', '--grace-seconds', 'x'], 2, /--grace-seconds <number>.*must be a whole number/],
])('refuses %s', async (_, given, code, stderr) => {
  const own = given.map(arg => arg.replace('LOG', log))
  const project = own.includes('--project') || own.includes('--by-host') ? [] : ['--project', projectId]
  const refused = await runQuire(['visits', 'follow', ...own, ...project, '--data', join(folder, 'data')])
  expect(refused).toEqual({
    code,
    stdout: '',
    stderr: typeof stderr === 'string' ? stderr : expect.stringMatching(stderr),
  })
})
