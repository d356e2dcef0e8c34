import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../server/base/operator-error.ts'

/** What a release is made from. */
export interface ReleaseSource {
  root: string
  version: string
  /** Null = files differ from the commit that is checked out. */
  commit: string | null
  /** When the commit was made. It stands wherever a file needs a time, so that a later build gives the same bytes. */
  committedAt: Date
  /** `repository` of package.json; null = it has none. */
  repository: string | null
}

interface Manifest {
  version: string
  repository?: string | { url?: string }
  bugs?: { email?: string }
}

/** Reads the version and the commit, and lists what forbids a release. A dry run only warns of it. */
export async function readReleaseSource(root: string): Promise<{ source: ReleaseSource; problems: string[] }> {
  const { version, repository, bugs }: Manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new OperatorError(`The version in package.json is ${version}. It must be three numbers, such as 0.2.0.`)
  const git = async (...args: string[]) => (await promisify(execFile)('git', args, { cwd: root })).stdout.trim()
  const changed = (await git('status', '--porcelain')) !== ''
  const address = (typeof repository === 'string' ? repository : repository?.url) ?? null
  const problems = [
    ...(changed ? ['Files differ from the commit, so no file of the release names it. Commit them.'] : []),
    ...(address === null ? ['package.json has no repository, the address where readers find the sources.'] : []),
    ...(bugs?.email === undefined
      ? ['package.json has no bugs.email, the address for reports of vulnerabilities.']
      : []),
    ...findChangelogProblems(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version),
  ]
  const commit = changed ? null : await git('rev-parse', 'HEAD')
  const committedAt = new Date(await git('show', '--no-patch', '--format=%cI', 'HEAD'))
  return { source: { root, version, commit, committedAt, repository: address }, problems }
}

/** @throws {OperatorError} when the changelog says nothing of the version, which a dry run must not leave out either. */
export function findChangelogProblems(changelog: string, version: string): string[] {
  const headings = changelog.split('\n').filter(line => line.startsWith('## '))
  const heading = headings.find(line => line.slice('## '.length).split(/[\s(]/, 1)[0] === version)
  if (heading === undefined)
    throw new OperatorError(`CHANGELOG.md has no section "## ${version}". Write what this version changes.`)
  return /unreleased/i.test(heading) ? [`CHANGELOG.md calls ${version} unreleased. Write its day instead.`] : []
}
