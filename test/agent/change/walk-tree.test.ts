import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listTree, readTreeFile } from '../../../server/agent/change/walk-tree.ts'
import { makeTemporaryFolder } from './repository.ts'

function createTree(): string {
  const tree = join(makeTemporaryFolder(), 'tree')
  mkdirSync(join(tree, 'docs/sub'), { recursive: true })
  for (const path of ['docs/a.md', 'docs/sub/b.md', '../other']) writeFileSync(join(tree, path), 'text\n')
  return tree
}

const listPaths = async (tree: string, folders = ['docs']) =>
  (await listTree(tree, folders, 100)).map(({ path }) => path).sort()

test('lists the files of the folders', async () => {
  expect(await listPaths(createTree())).toEqual(['docs/a.md', 'docs/sub/b.md'])
  expect(await listPaths(createTree(), [])).toEqual(['docs/a.md', 'docs/sub/b.md'])
})

test('lists no link and no second name of a file', async () => {
  const tree = createTree()
  symlinkSync('a.md', join(tree, 'docs/link.md'))
  await expect(listPaths(tree)).rejects.toThrow('docs/link.md, which is never committed: it is a link or a device')
  rmSync(join(tree, 'docs/link.md'))
  linkSync(join(tree, '../other'), join(tree, 'docs/link.md'))
  await expect(listPaths(tree)).rejects.toThrow('docs/link.md, which is never committed: it is a hard link')
})

test('stops at too many entries', async () => {
  await expect(listTree(createTree(), ['docs'], 3)).rejects.toMatchObject({ code: 'change_limit' })
})

const path = 'docs/sub/b.md'
const read = async (tree: string, sizeBytes = 5) => {
  const pieces: Buffer[] = []
  await readTreeFile(tree, { path, sizeBytes }, piece => pieces.push(piece))
  return Buffer.concat(pieces).toString()
}

test('reads a file', async () => {
  expect(await read(createTree())).toBe('text\n')
})

/** What a process of the agent that is still alive could do between the listing and the reading. */
test.each<[string, (tree: string) => void]>([
  ['a link', tree => symlinkSync('../a.md', join(tree, path))],
  ['a second name of another file', tree => linkSync(join(tree, '../other'), join(tree, path))],
  ['a folder', tree => mkdirSync(join(tree, path))],
  ['a file of another size', tree => writeFileSync(join(tree, path), 'longer text\n')],
])('refuses a listed file that became %s', async (_, replace) => {
  const tree = createTree()
  rmSync(join(tree, path))
  replace(tree)
  await expect(read(tree)).rejects.toMatchObject({ code: 'change_refused', message: expect.stringContaining(path) })
})

test('refuses a listed file whose folder became a link', async () => {
  const tree = createTree()
  renameSync(join(tree, 'docs/sub'), join(tree, 'moved'))
  symlinkSync('../moved', join(tree, 'docs/sub'))
  await expect(read(tree)).rejects.toMatchObject({ code: 'change_refused' })
})
