import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRandomBytes } from '../../support/random.ts'
import { commit, createRepository, createSettings, type Entries, git, open, source } from './repository.ts'

const list = (tree: string) =>
  readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name).slice(tree.length + 1))
    .sort()

test('writes the files of the folders and nothing else', async () => {
  const repository = createRepository({
    ...{ 'docs/a.md': '# A\r\n', 'docs/tools/run.sh': { mode: '100755', data: '#!/bin/sh\n' }, 'guide/b.md': 'B' },
    ...{ 'README.md': 'R', 'docs-old/c.md': 'C', 'src/x.ts': 'X' },
  })
  const { opened } = await open(source(repository, { folders: ['docs', 'guide'] }))
  expect(list(opened.tree)).toEqual(['docs/a.md', 'docs/tools/run.sh', 'guide/b.md'])
  expect(readFileSync(join(opened.tree, 'docs/a.md'), 'utf8')).toBe('# A\r\n')
  expect(statSync(join(opened.tree, 'docs/tools/run.sh')).mode & 0o111).toBe(0o111)
  expect(statSync(join(opened.tree, 'docs/a.md')).mode & 0o111).toBe(0)
  const head = git(repository, ['rev-parse', 'main'])
  expect(opened).toMatchObject({ base: head, target: head, fork: head, folders: ['docs', 'guide'], leftOut: 0 })
})

test('writes the whole repository if no folder is named', async () => {
  const repository = createRepository({ 'a.md': 'A', 'docs/b.md': 'B', '.github/x.yml': 'X' })
  const { opened } = await open(source(repository, { folders: [] }))
  expect(list(opened.tree)).toEqual(['a.md', 'docs/b.md'])
})

test('narrows a run to one folder', async () => {
  const repository = createRepository({ 'docs/a.md': 'A', 'docs/b/c.md': 'C' })
  const { opened } = await open(source(repository), { folder: 'docs/b/' })
  expect(list(opened.tree)).toEqual(['docs/b/c.md'])
  expect(opened.folders).toEqual(['docs/b'])
  await expect(open(source(repository), { folder: 'src' })).rejects.toThrow('may not change the folder src')
})

const hostile: Entries = {
  ...{
    'docs/a.md': 'A',
    'docs/link': { mode: '120000', data: '/etc/passwd' },
    'docs/folder-link': { mode: '120000', data: '/' },
  },
  ...{
    'docs/sub': { mode: '160000', oid: '1'.repeat(40) },
    'docs/.gitattributes': '* filter=evil\n',
    'docs/.gitmodules': '[submodule "x"]',
  },
  ...{
    'docs/.git2/hooks/x': 'X',
    'docs/AGENTS.md': 'Obey.',
    'docs/x/claude.MD': 'Obey.',
    'docs/opencode.json': '{}',
    'docs/.mcp.json': '{}',
  },
  ...{
    'docs/Same.md': '1',
    'docs/same.md': '2',
    'docs/Up/x.md': '1',
    'docs/up/y.md': '2',
    'docs/a\nb': 'X',
    'docs/c\\d': 'X',
    'docs/\xff.md': 'X',
  },
  ...{
    'docs/git~1': 'X',
    'docs/dot.': 'X',
    'docs/.g\u200cit': 'X',
    'docs/huge.bin': Buffer.alloc((16 << 20) + 1),
    'docs/-rf': 'option',
  },
}

test('leaves out what an agent must not see, and counts it', async () => {
  const { opened } = await open(source(createRepository(hostile)))
  expect(list(opened.tree)).toEqual(['docs/-rf', 'docs/a.md'])
  expect(opened.leftOut).toBe(Object.keys(hostile).length - 2)
})

test('refuses a repository with more files than an agent can use', async () => {
  const files = Object.fromEntries(Array.from({ length: 20_001 }, (_, number) => [`docs/${number}.md`, 'X']))
  await expect(open(source(createRepository(files)))).rejects.toMatchObject({
    code: 'source_unavailable',
    message: expect.stringContaining('more than 20000 files'),
  })
})

test('refuses a repository that would fill the disk', async () => {
  const repository = createRepository({ 'docs/a.md': 'A', 'film.bin': createRandomBytes('film', 300_000) })
  await expect(open(source(repository), { maxPackBytes: 200_000 })).rejects.toThrow('is too large')
  await open(source(repository), { maxPackBytes: 400_000 })
})

test('continues from the branch of an earlier run', async () => {
  const repository = createRepository({ 'docs/a.md': 'A', 'docs/b.md': 'B' })
  const fork = git(repository, ['rev-parse', 'main'])
  const earlier = commit(repository, { 'docs/a.md': 'A2' }, { branch: 'quire/1', from: 'main' })
  const target = commit(repository, { 'docs/b.md': 'B2' })
  const { opened } = await open(source(repository), { continueFrom: 'quire/1' })
  expect(opened).toMatchObject({ base: earlier, target, fork })
  expect(readFileSync(join(opened.tree, 'docs/a.md'), 'utf8')).toBe('A2')
  expect(readFileSync(join(opened.tree, 'docs/b.md'), 'utf8')).toBe('B')
})

test('starts from the target if the branch of the earlier run is gone', async () => {
  const repository = createRepository()
  const { opened } = await open(source(repository), { continueFrom: 'quire/1' })
  expect(opened.base).toBe(opened.target)
})

test('continues from a reference of a pull request', async () => {
  const repository = createRepository()
  const earlier = commit(repository, { 'docs/a.md': 'A2' }, { branch: 'x', from: 'main' })
  git(repository, ['update-ref', 'refs/pull/7/head', earlier])
  const { opened } = await open(source(repository), { continueFrom: 'refs/pull/7/head' })
  expect(opened.base).toBe(earlier)
})

test.each([
  [{ url: '/nonexistent/secret-place.git' }, 'does not exist'],
  [{ folders: ['other'] }, 'has no files'],
])('says what is wrong with %j', async (fields, message) => {
  await expect(open(source(createRepository(), fields))).rejects.toMatchObject({
    code: 'source_unavailable',
    message: expect.stringContaining(message),
  })
})

test('names branches that exist, first the nearest, and none of jobs', async () => {
  const repository = createRepository()
  const opening = () => open(source(repository, { branch: 'releese/2' }))
  for (const branch of ['quire/aj_1', 'release/1', 'release/2', 'x'.repeat(150)])
    commit(repository, {}, { branch, from: 'main' })
  await expect(opening()).rejects.toMatchObject({
    code: 'unknown_branch',
    message: 'The repository has no branch releese/2. It has release/2, main, release/1 and 1 more.',
  })
  await expect(open(source(createRepository(), { branch: 'x' }))).rejects.toThrow('no branch x. It has main.')
})

test('names folders that exist, within those that agents may change', async () => {
  const repository = createRepository({ 'docs/a/b/x.md': 'X', 'docs/guides/y.md': 'Y', 'src/z.ts': 'Z' })
  await expect(open(source(repository), { folder: 'docs/guide' })).rejects.toMatchObject({
    code: 'unknown_folder',
    message:
      'The branch main has no folder docs/guide with files that an agent may change. It has docs/guides, docs, docs/a, docs/a/b.',
  })
})

test('shows no path of the server to the reader of the job', async () => {
  await expect(open(source('/nonexistent/secret-place.git'))).rejects.toThrow(/^(?!.*secret-place)/)
})

test('runs nothing that a repository configures', async () => {
  const settings = createSettings()
  const mark = join(settings.root, 'mark')
  const repository = createRepository({
    'docs/a.md': 'A',
    'docs/.gitattributes': '* filter=evil\n',
    '.gitattributes': '* filter=evil\n',
  })
  for (const name of [
    'core.fsmonitor',
    'filter.evil.smudge',
    'filter.evil.clean',
    'uploadpack.packObjectsHook',
    'core.sshCommand',
  ])
    git(repository, ['config', name, `touch ${mark}`])
  writeFileSync(join(repository, 'hooks/post-checkout'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
  await open(source(repository), { settings })
  expect(existsSync(mark)).toBe(false)
})

test('ends git when the job is cancelled', async () => {
  const control = new AbortController()
  const opening = open(source(createRepository()), { settings: createSettings(null, control.signal) })
  control.abort(new Error('cancelled'))
  await expect(opening).rejects.toThrow('cancelled')
})
