import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { agentJobsCommand } from '../../server/commands/agent-jobs.ts'
import { openStore } from '../../server/store/store.ts'
import { createOrganization } from '../support/server.ts'

let folder: string
let printed: string[]
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-repository-'))
  writeFileSync(join(folder, 'token'), 's3cret-token\n')
  const store = openStore(folder)
  await createOrganization(store)
  store.close()
  printed = []
  vi.spyOn(console, 'log').mockImplementation(text => void printed.push(text))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

async function repository(...args: string[]): Promise<string> {
  printed = []
  await agentJobsCommand().parseAsync(['repository', ...args, '--data', folder], { from: 'user' })
  return printed.join('\n')
}

test('a repository is set with its token, shown without it, and removed', async () => {
  const url = 'https://git.example.com/acme/docs.git'
  const token = join(folder, 'token')
  expect(await repository('set', url, '--folder', 'docs', '--credential-file', token)).toBe(
    `Agents work on ${url} (main; docs; branch; with a credential).`,
  )
  const shown = await repository('show', '--json')
  expect(JSON.parse(shown)).toMatchObject({ url, folders: ['docs'], forge: 'branch', hasCredential: true })
  expect(shown).not.toContain('s3cret')
  await repository('remove')
  await expect(repository('show')).rejects.toThrow('no repository')
})

test('a file that cannot be read is named', async () => {
  const missing = join(folder, 'none')
  await expect(repository('set', 'https://git.example.com/x.git', '--credential-file', missing)).rejects.toMatchObject({
    exitCode: 2,
    message: `--credential-file ${missing} cannot be read (ENOENT). It does not exist. Correct its path.`,
  })
  await expect(repository('set', 'https://git.example.com/x.git', '--credential-file', folder)).rejects.toMatchObject({
    ...{ exitCode: 2, message: expect.stringContaining('(EISDIR). It is a folder. Name the file in it.') },
  })
})

test('a token is never sent over http, also one that is stored already', async () => {
  const plain = 'http://git.example.com/acme/docs.git'
  const refused = { exitCode: 2, message: 'http:// sends the credential unencrypted. Use https://.' }
  const token = ['--credential-file', join(folder, 'token')]
  await expect(repository('set', plain, ...token)).rejects.toMatchObject(refused)
  await repository('set', 'https://git.example.com/acme/docs.git', ...token)
  await expect(repository('set', plain)).rejects.toMatchObject(refused)
  expect(await repository('set', plain, '--forget-credential')).toContain(plain)
  expect(JSON.parse(await repository('show', '--json')).hasCredential).toBe(false)
})

test('the stored credential stays with its host, protocol and port, unless the operator says otherwise', async () => {
  const url = 'https://git.example.com/acme/docs.git'
  const token = ['--credential-file', join(folder, 'token')]
  await repository('set', url, ...token)
  const before = await repository('show', '--json')
  for (const other of [
    'https://git.exmaple.com/acme/docs.git',
    'https://git.example.com:8443/acme/docs.git',
    'git@git.example.com:acme/docs.git',
    '/srv/docs.git',
  ])
    await expect(repository('set', other)).rejects.toMatchObject({
      ...{ exitCode: 2, message: expect.stringMatching(/is for https:\/\/git\.example\.com, .* --forget-credential/) },
    })
  expect(await repository('show', '--json')).toBe(before)
  expect(await repository('set', 'https://GIT.example.com:443/acme/other.git')).toContain('with a credential')
  expect(await repository('set', 'git@git.example.com:acme/docs.git', ...token)).toContain('with a credential')
  expect(await repository('set', 'ssh://git@Git.example.com/acme/docs.git')).toContain('with a credential')
  expect(await repository('set', 'ssh://git@git.example.com:22/acme/docs.git')).toContain('with a credential')
  await expect(repository('set', 'ssh://git@git.example.com:2222/acme/docs.git')).rejects.toThrow('is for ssh://')
  expect(await repository('set', '/srv/docs.git', '--forget-credential')).toContain('without a credential')
  expect(await repository('set', url)).toContain('without a credential')
})

test('set names all that it set, because what is not given is reset', async () => {
  const url = 'https://git.example.com/acme/docs.git'
  const all = ['--folder', 'docs', '--folder', 'guides', '--forge', 'gitlab', '--draft', '--branch', 'next']
  expect(await repository('set', url, ...all)).toBe(
    `Agents work on ${url} (next; docs, guides; gitlab, draft; without a credential).`,
  )
  expect(await repository('set', url)).toBe(`Agents work on ${url} (main; all folders; branch; without a credential).`)
  const answer = await repository('set', url, '--json', '--credential-file', join(folder, 'token'))
  expect(JSON.parse(answer)).toMatchObject({ url, folders: [], hasCredential: true })
  expect(await repository('show', '--json')).toBe(answer)
  expect(JSON.parse(await repository('set', url, '--json', '--forget-credential'))).toMatchObject({
    hasCredential: false,
  })
})

test('a folder of this machine has no page, unless one is given', async () => {
  const pageOf = async (...args: string[]) => JSON.parse(await repository('set', ...args, '--json')).page
  expect(await pageOf('/srv/docs.git')).toBeNull()
  const store = openStore(folder)
  const [project] = await store.projects.list()
  expect((await store.agentSources.find(project?.id ?? ''))?.page).toBe('https://local.invalid/docs')
  store.close()
  expect(JSON.parse(await repository('show', '--json')).page).toBeNull()
  expect(await pageOf('/srv/docs.git', '--page-url', 'http://localhost:3000/docs')).toBe('http://localhost:3000/docs')
  expect(await pageOf('http://localhost:3000/acme/docs.git')).toBe('http://localhost:3000/acme/docs')
})
