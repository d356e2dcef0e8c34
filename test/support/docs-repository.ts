import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A bare git repository with some files on its branch main. */
export interface DocsRepository {
  path: string
  /** Runs git in it, and returns what it printed. */
  git(...args: string[]): string
  dispose(): void
}

export function createDocsRepository(files: Readonly<Record<string, string>>): DocsRepository {
  const folder = mkdtempSync(join(tmpdir(), 'quire-repository-'))
  const [path, seed] = [join(folder, 'docs.git'), join(folder, 'seed')]
  const env = { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  const run = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t.example', ...args], { cwd, env, encoding: 'utf8' })
  run(folder, 'init', '-q', '--bare', '-b', 'main', path)
  run(folder, 'init', '-q', '-b', 'main', seed)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(seed, name)), { recursive: true })
    writeFileSync(join(seed, name), text)
  }
  run(seed, 'add', '-A')
  run(seed, 'commit', '-qm', 'first')
  run(seed, 'push', '-q', path, 'main')
  return {
    path,
    git: (...args) => run(path, ...args).trim(),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  }
}
