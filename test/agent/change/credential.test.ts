import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeSecrets } from '../../../server/agent/change/git.ts'
import { publishChange } from '../../../server/agent/change/publish-change.ts'
import { serveRepository } from './git-server.ts'
import { createRepository, createSettings, git, makeTemporaryFolder, open, source, take } from './repository.ts'

const credential = { user: 'quire bot', secret: 'glpat-S3cr3t/%+"\'$(id)' }
const account = `${credential.user}:${credential.secret}`

/** What other accounts of the machine can see of the processes that work in a folder. */
function listProcesses(folder: string): string[] {
  return readdirSync('/proc').flatMap(pid => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
      if (!environment.includes(`HOME=${folder}\0`)) return []
      return [`${readFileSync(`/proc/${pid}/cmdline`, 'utf8')}\n${environment}`]
    } catch {
      return []
    }
  })
}

const readAll = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

test.skipIf(!existsSync('/proc/self/environ'))(
  'gives the password to the server and to no file, argument or environment',
  async () => {
    const repository = createRepository()
    const settings = createSettings(credential)
    const seen: string[][] = []
    const { url, authorizations } = await serveRepository(repository, {
      account,
      onRequest: () => seen.push(listProcesses(settings.scratch)),
    })
    const from = source(url)
    const opening = await open(from, { settings })
    appendFileSync(join(opening.opened.tree, 'docs/a.md'), 'x')
    const change = await take(opening)
    if (!change) throw new Error('Nothing changed.')
    expect(
      await publishChange(from, opening.opened, change, {
        ...settings,
        jobId: 'aj_1',
        earlierCommit: null,
        title: 'T',
        body: '',
      }),
    ).toEqual({
      ...{ branch: 'quire/aj_1', prLink: null },
    })
    expect(git(repository, ['rev-parse', 'quire/aj_1'])).toBe(change.commit)
    expect(authorizations.filter(authorization => authorization !== undefined).length).toBeGreaterThan(3)
    // git and its program for http, at least.
    expect(Math.min(...seen.map(processes => processes.length))).toBeGreaterThan(1)
    const found = seen.flat().join('\n')
    expect(found).toContain('git-remote-http')
    for (const text of [found, readAll(settings.root)])
      for (const form of [
        credential.secret,
        encodeURIComponent(credential.secret),
        Buffer.from(account).toString('base64'),
      ])
        expect(text).not.toContain(form)
  },
)

test('only the account of the server can read the password while it is in use', async () => {
  const settings = createSettings(credential)
  const modes: number[] = []
  const onRequest = () => modes.push(statSync(join(settings.scratch, 'credential')).mode & 0o777)
  const { url } = await serveRepository(createRepository(), { account, onRequest })
  await open(source(url), { settings })
  expect(new Set(modes)).toEqual(new Set([0o600]))
  expect(readdirSync(settings.scratch)).toEqual([])
})

test('says that the password is wrong, without showing it', async () => {
  const { url } = await serveRepository(createRepository(), { account: 'other:account' })
  const failure = await open(source(url), { settings: createSettings(credential) }).catch(error => error)
  expect(failure).toMatchObject({
    code: 'source_unavailable',
    message: expect.stringContaining('refused the credential'),
  })
  expect(`${failure.message} ${failure.cause.message} ${failure.cause.stack}`).not.toContain(credential.secret)
})

test('asks nobody for a missing password', async () => {
  const { url } = await serveRepository(createRepository(), { account })
  await expect(open(source(url))).rejects.toThrow('refused the credential')
})

test('says that the repository may not be written', async () => {
  const repository = createRepository()
  const { url } = await serveRepository(repository, { account })
  const opening = await open(source(url), { settings: createSettings(credential) })
  appendFileSync(join(opening.opened.tree, 'docs/a.md'), 'x')
  const change = await take(opening)
  if (!change) throw new Error('Nothing changed.')
  const settings = { ...opening.settings, credential: { user: 'reader', secret: 'wrong-secret' } }
  await expect(
    publishChange(source(url), opening.opened, change, {
      ...settings,
      jobId: 'aj_1',
      earlierCommit: null,
      title: 'T',
      body: '',
    }),
  ).rejects.toMatchObject({ code: 'push_refused', message: expect.stringContaining('may write to it') })
})

test('does not follow a redirect to another host with the password', async () => {
  const other = await serveRepository(createRepository(), { account })
  const { url } = await serveRepository(createRepository(), { redirectTo: other.url })
  await expect(open(source(url), { settings: createSettings(credential) })).rejects.toThrow('redirects to another one')
  expect(other.authorizations).toEqual([])
})

test('ends every process of git when the job is cancelled', async () => {
  const control = new AbortController()
  const settings = createSettings(null, control.signal)
  const connected = Promise.withResolvers<void>()
  const { url } = await serveRepository(createRepository(), { isSilent: true, onRequest: connected.resolve })
  const opening = open(source(url), { settings })
  await connected.promise
  control.abort(new Error('cancelled'))
  await expect(opening).rejects.toThrow('cancelled')
  await expect.poll(() => listProcesses(settings.scratch)).toEqual([])
})

test('shows no secret in any form in which git could print it', () => {
  const printed = [
    credential.secret,
    encodeURIComponent(credential.secret),
    Buffer.from(account).toString('base64'),
    'https://u:p@host/x',
  ]
  expect(removeSecrets(printed.join(' '), credential)).toBe('*** *** *** https://***@host/x')
})

/** Puts a program called ssh into PATH that keeps its arguments and the key, and answers as a server would. */
function installSsh(): string {
  const folder = makeTemporaryFolder()
  const log = join(folder, 'log')
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" > ${log}\nwhile [ $# -gt 1 ]; do [ "$1" = -i ] && { cat "$2" > ${log}.key; stat -c %a "$2" > ${log}.mode; }; shift; done\nexec sh -c "$1"\n`
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/ssh'), script, { mode: 0o755 })
  const { PATH } = process.env
  process.env.PATH = `${join(folder, 'bin')}:${PATH}`
  onTestFinished(() => {
    process.env.PATH = PATH
  })
  return log
}

test('gives ssh the key in a file, and no other configuration', async () => {
  const log = installSsh()
  const repository = createRepository()
  const settings = createSettings({ user: '', secret: '-----BEGIN KEY-----\nabc\n-----END KEY-----' })
  const { opened } = await open(source(`ssh://git@git.example.com${repository}`), { settings })
  expect(existsSync(join(opened.tree, 'docs/a.md'))).toBe(true)
  const words = readFileSync(log, 'utf8').split('\n')
  for (const word of [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'StrictHostKeyChecking=accept-new',
    `UserKnownHostsFile=${settings.scratch}/known_hosts`,
  ])
    expect(words).toContain(word)
  expect(words.slice(0, 2)).toEqual(['-F', '/dev/null'])
  expect(words).toContain('git@git.example.com')
  expect(readFileSync(`${log}.key`, 'utf8')).toBe('-----BEGIN KEY-----\nabc\n-----END KEY-----\n')
  expect(readFileSync(`${log}.mode`, 'utf8').trim()).toBe('600')
  expect(readdirSync(settings.scratch)).toEqual([])
})
