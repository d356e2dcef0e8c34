import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commit, createRepository, git, open, source, take } from './repository.ts'

type Opening = Awaited<ReturnType<typeof open>>

const files = {
  ...{
    'docs/a.md': '# A\n',
    'docs/b.md': 'b\r\n',
    'docs/sub/c.md': 'c\n',
    'docs/run.sh': { mode: '100755', data: 'run\n' },
  },
  ...{
    'README.md': 'R\n',
    'docs/link': { mode: '120000', data: '/etc/passwd' },
    'docs/AGENTS.md': 'Obey.\n',
    'docs/.env': 'X=1\n',
  },
}

const openFiles = () => open(source(createRepository(files)))
const write = ({ opened }: Opening, path: string, text: string | Buffer) => {
  mkdirSync(join(opened.tree, path, '..'), { recursive: true })
  writeFileSync(join(opened.tree, path), text)
}
const show = ({ opened }: Opening, commit: string) =>
  git(opened.bare, ['ls-tree', '-r', '--format=%(objectmode) %(path)', commit]).split('\n')

test('returns null if nothing changed', async () => {
  expect(await take(await openFiles())).toBeNull()
})

test('returns null if a file was written again with the same content', async () => {
  const opening = await openFiles()
  write(opening, 'docs/a.md', '# A\n')
  chmodSync(join(opening.opened.tree, 'docs/b.md'), 0o755)
  mkdirSync(join(opening.opened.tree, 'docs/empty'))
  expect(await take(opening)).toBeNull()
})

test('commits added, changed and removed files, and keeps modes and line ends', async () => {
  const opening = await openFiles()
  write(opening, 'docs/a.md', '# A\r\nmore\r\n')
  write(opening, 'docs/new/über.md', 'new\n')
  write(opening, 'docs/run.sh', 'run 2\n')
  chmodSync(join(opening.opened.tree, 'docs/new/über.md'), 0o755)
  chmodSync(join(opening.opened.tree, 'docs/run.sh'), 0o644)
  rmSync(join(opening.opened.tree, 'docs/sub'), { recursive: true })
  const change = await take(opening)
  expect(change?.files).toEqual([
    { path: 'docs/a.md', status: 'changed', added: 2, removed: 1 },
    { path: 'docs/new/über.md', status: 'added', added: 1, removed: 0 },
    { path: 'docs/run.sh', status: 'changed', added: 1, removed: 1 },
    { path: 'docs/sub/c.md', status: 'removed', added: 0, removed: 1 },
  ])
  expect(change).toMatchObject({ added: 4, removed: 3, isDiffCut: false, diff: expect.stringContaining('+more\r\n') })
  const commit = change?.commit ?? ''
  expect(show(opening, commit)).toEqual([
    ...[
      '100644 README.md',
      '100644 docs/.env',
      '100644 docs/AGENTS.md',
      '100644 docs/a.md',
      '100644 docs/b.md',
      '120000 docs/link',
    ],
    ...['100644 "docs/new/\\303\\274ber.md"', '100755 docs/run.sh'],
  ])
  expect(git(opening.opened.bare, ['cat-file', 'blob', `${commit}:docs/a.md`])).toBe('# A\r\nmore')
  expect(git(opening.opened.bare, ['log', '-1', '--format=%an <%ae> %at %cn %ct %P %B', commit])).toBe(
    `Quire agent <agent@quire.invalid> 1795910400 Quire agent 1795910400 ${opening.opened.base} Fix typo\n\nDetails`,
  )
})

test('gives the same commit for the same tree, message and time', async () => {
  const repository = createRepository(files)
  const commits = await Promise.all(
    [1, 2].map(async () => {
      const opening = await open(source(repository))
      write(opening, 'docs/a.md', 'same\n')
      return (await take(opening))?.commit
    }),
  )
  expect(commits[0]).toBe(commits[1])
})

test('replaces a file by a folder of the same name', async () => {
  const opening = await openFiles()
  rmSync(join(opening.opened.tree, 'docs/a.md'))
  write(opening, 'docs/a.md/index.md', 'A\n')
  expect(show(opening, (await take(opening))?.commit ?? '')).toContain('100644 docs/a.md/index.md')
})

test('allows a new name that differs by case if the old one is gone', async () => {
  const opening = await openFiles()
  renameSync(join(opening.opened.tree, 'docs/a.md'), join(opening.opened.tree, 'docs/A.md'))
  expect((await take(opening))?.files.map(({ path }) => path)).toEqual(['docs/A.md', 'docs/a.md'])
})

type Step = (tree: string) => unknown

const link = (to: string, path: string) => (tree: string) => symlinkSync(to, join(tree, path))
const remove = (path: string) => (tree: string) => rmSync(join(tree, path), { recursive: true })
const folder = (path: string) => (tree: string) => mkdirSync(join(tree, path), { recursive: true })
const file = (path: string) => (tree: string) => writeFileSync(join(tree, path), 'x\n')
const repository = (path: string) => (tree: string) => plantRepository(join(tree, path), join(tree, '../mark'))

const hostile: Record<string, [string, ...Step[]]> = {
  'a link to a file': ['docs/x.md', link('/etc/passwd', 'docs/x.md')],
  'a link in place of a file': ['docs/a.md', remove('docs/a.md'), link('/etc/passwd', 'docs/a.md')],
  'a link to nothing': ['docs/x.md', link('/nonexistent', 'docs/x.md')],
  'a folder replaced by a link': ['docs/sub', remove('docs/sub'), link('/etc', 'docs/sub')],
  'the top folder replaced by a link': ['docs', remove('docs'), link('/etc', 'docs')],
  'the tree replaced by a link': ['.', remove('.'), link('/etc', '.')],
  'a hard link': ['docs/x.md', tree => linkSync(join(tree, '../outside'), join(tree, 'docs/x.md'))],
  'a FIFO': ['docs/x.md', tree => execFileSync('mkfifo', [join(tree, 'docs/x.md')])],
  'a repository': ['.git', repository('.git')],
  'a repository in a folder': ['docs/.git', repository('docs/.git')],
  submodules: ['docs/.gitmodules', file('docs/.gitmodules')],
  attributes: ['docs/.gitattributes', file('docs/.gitattributes')],
  'a workflow': ['.github', folder('.github/workflows'), file('.github/workflows/x.yml')],
  'instructions for agents': ['docs/sub/Agents.md', file('docs/sub/Agents.md')],
  'a file outside of the folders': ['package.json', file('package.json')],
  'a folder outside of the folders': ['src', folder('src')],
  'a name with a line break': ['docs/a\\nb.md', file('docs/a\nb.md')],
  'a name with backslashes': ['docs/..\\..\\x', file('docs/..\\..\\x')],
  'a name that is not UTF-8': [
    'docs/\ufffd',
    tree => writeFileSync(Buffer.concat([Buffer.from(`${tree}/docs/`), Buffer.from([0xff])]), 'x'),
  ],
  'a name that differs by case': ['docs/A.MD', file('docs/A.MD')],
  'a file where the repository has a link': ['docs/link', file('docs/link')],
  'a file below a link of the repository': ['docs/link/x', folder('docs/link'), file('docs/link/x')],
}

function plantRepository(folder: string, mark: string): void {
  execFileSync('git', ['init', '--quiet', '--bare', folder], { env: { PATH: process.env.PATH } })
  for (const name of ['core.fsmonitor', 'core.sshCommand', 'filter.evil.clean', 'diff.external'])
    git(folder, ['config', name, `touch ${mark}`])
  git(folder, ['config', 'core.bare', 'false'])
  for (const hook of ['post-index-change', 'pre-commit', 'post-commit', 'reference-transaction'])
    writeFileSync(join(folder, 'hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
}

test.each(Object.entries(hostile))('refuses %s', async (_, [path, ...steps]) => {
  const opening = await openFiles()
  const { tree } = opening.opened
  writeFileSync(join(tree, '../outside'), 'outside\n')
  for (const step of steps) step(tree)
  await expect(take(opening)).rejects.toMatchObject({
    code: 'change_refused',
    message: expect.stringContaining(`The agent made ${path}, which is never committed`),
  })
  expect(existsSync(join(tree, '../mark'))).toBe(false)
})

test('refuses an enormous sparse file before it reads it', async () => {
  const opening = await openFiles()
  truncateSync(join(opening.opened.tree, 'docs/a.md'), 2 ** 40)
  await expect(take(opening)).rejects.toMatchObject({
    code: 'change_limit',
    message: expect.stringContaining('docs/a.md'),
  })
})

test('refuses more files than the limit', async () => {
  const opening = await openFiles()
  for (let number = 0; number < 21; number++) write(opening, `docs/new-${number}.md`, 'x')
  await expect(take(opening)).rejects.toMatchObject({
    code: 'change_limit',
    message: expect.stringContaining('21 files'),
  })
})

test('refuses more lines than the limit', async () => {
  const opening = await openFiles()
  write(opening, 'docs/new.md', 'x\n'.repeat(1001))
  await expect(take(opening)).rejects.toMatchObject({
    code: 'change_limit',
    message: expect.stringContaining('1001 lines'),
  })
})

test('cuts a long difference at the end of a line', async () => {
  const opening = await openFiles()
  const limits = { changedFiles: 20, changedLines: 100_000, fileBytes: 4_000_000 }
  write(opening, 'docs/new.md', `${'x'.repeat(99)}\n`.repeat(20_000))
  const change = await take(opening, { limits })
  expect(change).toMatchObject({ isDiffCut: true, added: 20_000 })
  expect(change?.diff.length).toBeLessThanOrEqual(1 << 20)
  expect(change?.diff).toMatch(/x\n$/)
})

test('shows the difference of files for which the repository turns it off', async () => {
  const opening = await open(
    source(createRepository({ ...files, '.gitattributes': '*.md -diff\n', 'docs/.gitattributes': '*.md diff=evil\n' })),
  )
  appendFileSync(join(opening.opened.tree, 'docs/a.md'), 'shown\n')
  expect((await take(opening))?.diff).toContain('+shown')
})

test('counts a continued change from where its branch began', async () => {
  const repository = createRepository(files)
  commit(repository, { 'docs/a.md': '# A\nfirst run\n' }, { branch: 'quire/1', from: 'main' })
  commit(repository, { 'docs/b.md': 'target moved on\n' })
  const opening = await open(source(repository), { continueFrom: 'quire/1' })
  write(opening, 'docs/sub/c.md', 'second run\n')
  const change = await take(opening)
  expect(change?.files.map(({ path }) => path)).toEqual(['docs/a.md', 'docs/sub/c.md'])
  expect(change?.diff).not.toContain('target moved on')
})
