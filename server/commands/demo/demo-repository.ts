import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '../../store/store.ts'

/** Pages with a mistake that the suggested instruction of the demo agent corrects. */
const pages: Readonly<Record<string, string>> = {
  'README.md': '# Documentation of Acme\n\nThe pages are in `docs/`.\n',
  'docs/index.md':
    '# Acme\n\nAcme sorts teh mail of a company.\n\n- [Install](install.md)\n- [Settings](settings.md)\n',
  'docs/install.md':
    '# Install\n\n1. Download teh package.\n2. Start it with `acme serve`.\n\nIt listens on port 8080.\n',
  'docs/settings.md':
    '# Settings\n\n| Setting | Meaning |\n|---|---|\n| `port` | where teh server listens |\n| `folder` | where it keeps mail |\n',
}

/** The bare repository on which the demo agent works. */
export function demoRepository(dataFolder: string): string {
  return join(dataFolder, 'demo-docs.git')
}

/** Creates the repository, and makes it that of the project, unless the project has one. Returns false if git is missing. */
export async function seedRepository(
  { agentSources }: Pick<Store, 'agentSources'>,
  projectId: string,
  dataFolder: string,
): Promise<boolean> {
  if (await agentSources.find(projectId)) return true
  const path = demoRepository(dataFolder)
  try {
    if (!existsSync(path)) await createRepository(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  const source = { projectId, url: path, branch: 'main', folders: ['docs'], forge: 'branch', isDraft: false } as const
  await agentSources.put({ ...source, page: 'https://git.example.com/acme/docs' }, null)
  return true
}

/** Two programs are faster than a clone with a commit. The name of a whole repository appears in one step. */
async function createRepository(path: string): Promise<void> {
  const draft = `${path}.${process.pid}`
  try {
    await runGit(['init', '--quiet', '--bare', '--initial-branch=main', draft])
    await runGit(['--git-dir', draft, 'fast-import', '--quiet'], describeCommit())
    await rename(draft, path)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** The first commit, in the format of git fast-import. */
function describeCommit(): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const files = Object.entries(pages).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`)
  return `commit refs/heads/main\ncommitter Acme <docs@example.com> 1790000000 +0000\n${data('First pages')}${files.join('')}`
}

function runGit(args: readonly string[], input = ''): Promise<void> {
  const { PATH } = process.env
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Templates and hooks of this user do not belong in the demo.
  const env = { PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TEMPLATE_DIR: '' }
  const child = execFile('git', args, { env }, error => (error ? reject(error) : resolve()))
  // A git that cannot start reads nothing.
  child.stdin?.on('error', () => {}).end(input)
  return promise
}
