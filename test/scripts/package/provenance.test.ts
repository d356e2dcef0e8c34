import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeProvenance } from '../../../scripts/package/provenance.ts'
import { readSourceCommit } from '../../../scripts/package/source-commit.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-commit-'))
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim()

beforeAll(() => {
  git('init', '--quiet')
  writeFileSync(join(folder, 'a.txt'), 'a')
  git('add', '.')
  git('commit', '--quiet', '--message', 'First')
  git('remote', 'add', 'origin', 'https://person:secret@git.example.com/quire.git')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the statement names the tarball by its hash, and the commit', () => {
  const tarball = Buffer.from('packed')
  const at = new Date(0)
  const statement = describeProvenance({
    ...{ name: 'quire-spec', version: '1.2.3', tarball, commit: 'ab'.repeat(20) },
    ...{ repository: 'https://git.example.com/quire.git', startedAt: at, finishedAt: at },
  })
  expect(statement.subject).toEqual([
    { name: 'pkg:npm/quire-spec@1.2.3', digest: { sha512: createHash('sha512').update('packed').digest('hex') } },
  ])
  const [source] = statement.predicate.buildDefinition.resolvedDependencies
  expect(source).toEqual({ uri: 'git+https://git.example.com/quire.git', digest: { gitCommit: 'ab'.repeat(20) } })
})

test('the commit is read without the password of the remote', async () => {
  const repository = 'https://git.example.com/quire.git'
  expect(await readSourceCommit(folder)).toEqual({ commit: git('rev-parse', 'HEAD'), repository })
})

test('a remote that is a folder is not named', async () => {
  git('remote', 'set-url', 'origin', '/home/person/quire')
  expect(await readSourceCommit(folder)).toMatchObject({ repository: null })
})

test('a changed file is refused, because the commit would not tell what was packed', async () => {
  writeFileSync(join(folder, 'b.txt'), 'b')
  await expect(readSourceCommit(folder)).rejects.toThrow('Files differ from the commit.')
})
