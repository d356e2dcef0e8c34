import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AgentSource, Credential } from '../../../server/agent/agent-source.ts'
import type { GitSettings } from '../../../server/agent/change/git.ts'
import { type OpenOptions, openSource } from '../../../server/agent/change/open-source.ts'
import { type TakeOptions, takeChange } from '../../../server/agent/change/take-change.ts'

export type Entries = Record<string, string | Buffer | { mode: string; data?: string | Buffer; oid?: string }>

const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }

export function git(repository: string, args: readonly string[], input?: string | Buffer): string {
  return execFileSync('git', ['-C', repository, ...args], {
    env,
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  }).trim()
}

export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-change-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A bare repository of an operator, whose commits are made without a work tree, so that they can have any names and modes. */
export function createRepository(
  entries: Entries = { 'docs/a.md': '# A\n' },
  folder = join(makeTemporaryFolder(), 'origin.git'),
) {
  execFileSync('git', ['init', '--quiet', '--bare', '--template=', '-b', 'main', folder], { env })
  mkdirSync(join(folder, 'hooks'))
  importCommit(folder, entries, { branch: 'main' })
  return folder
}

/** Adds a commit of a person to a branch; null removes a file. */
export function commit(
  repository: string,
  entries: Record<string, Entries[string] | null>,
  {
    branch = 'main',
    from = branch,
    email = 'writer@example.com',
  }: { branch?: string; from?: string; email?: string } = {},
): string {
  importCommit(repository, entries, { branch, from, email })
  return git(repository, ['rev-parse', branch])
}

function importCommit(
  repository: string,
  entries: Record<string, Entries[string] | null>,
  { branch, from, email = 'writer@example.com' }: { branch: string; from?: string; email?: string },
): void {
  const pieces: (string | Buffer)[] = [
    `commit refs/heads/${branch}\ncommitter Writer <${email}> 1700000000 +0000\ndata 2\nc\n`,
  ]
  if (from !== undefined) pieces.push(`from refs/heads/${from}^0\n`)
  for (const [path, entry] of Object.entries(entries)) {
    const name = /[^\w./ -]|^"/.test(path) ? `"${quoteBytes(path)}"` : path
    if (entry === null) pieces.push(`D ${name}\n`)
    else {
      const {
        mode,
        data = '',
        oid,
      } = typeof entry === 'string' || Buffer.isBuffer(entry)
        ? { mode: '100644', data: entry }
        : { oid: undefined, ...entry }
      if (oid !== undefined) pieces.push(`M ${mode} ${oid} ${name}\n`)
      else pieces.push(`M ${mode} inline ${name}\ndata ${Buffer.byteLength(data)}\n`, data, '\n')
    }
  }
  git(repository, ['fast-import', '--quiet', '--force'], Buffer.concat(pieces.map(piece => Buffer.from(piece))))
}

/** latin1 text: each character is one byte of the name. */
function quoteBytes(path: string): string {
  return [...Buffer.from(path, /[\u0100-\uffff]/.test(path) ? 'utf8' : 'latin1')]
    .map(byte => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('')
}

export function source(url: string, fields: Partial<AgentSource> = {}): AgentSource {
  const page = 'https://git.example.com/docs'
  return {
    projectId: 'prj_1',
    url,
    page,
    branch: 'main',
    folders: ['docs'],
    forge: 'branch',
    isDraft: false,
    ...fields,
  }
}

export function createSettings(
  credential: Credential | null = null,
  signal = new AbortController().signal,
): GitSettings & { root: string } {
  const root = makeTemporaryFolder()
  const scratch = join(root, 'scratch')
  mkdirSync(scratch, { mode: 0o700 })
  return { root, scratch, signal, credential }
}

/** Opens a source in a new folder. */
export async function open(
  from: AgentSource,
  options: Partial<OpenOptions> & { settings?: ReturnType<typeof createSettings> } = {},
) {
  const { settings = createSettings(), ...more } = options
  const bare = join(settings.root, 'bare')
  const tree = join(settings.root, 'tree')
  const opened = await openSource(from, { ...settings, bare, tree, branch: from.branch, ...more })
  return { opened, settings }
}

export const limits = { changedFiles: 20, changedLines: 1000, fileBytes: 100_000 }

export function take({ opened, settings }: Awaited<ReturnType<typeof open>>, options: Partial<TakeOptions> = {}) {
  return takeChange(opened, {
    ...settings,
    limits,
    message: 'Fix typo\n\nDetails',
    now: Date.UTC(2026, 10, 29),
    ...options,
  })
}
