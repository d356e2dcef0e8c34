import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { OperatorError } from '../../server/base/operator-error.ts'

/**
 * Returns the commit that is checked out, and the address of the remote `origin` without a user and password; null for a remote that
 * others cannot reach, such as a folder.
 *
 * @throws {OperatorError} when files differ from the commit, because the commit would not tell what was packed.
 */
export async function readSourceCommit(root: string): Promise<{ commit: string; repository: string | null }> {
  const git = async (...args: string[]) => (await promisify(execFile)('git', args, { cwd: root })).stdout.trim()
  if ((await git('status', '--porcelain')) !== '')
    throw new OperatorError('Files differ from the commit. Commit them, or leave out --provenance.')
  const commit = await git('rev-parse', 'HEAD')
  const remote = await git('remote', 'get-url', 'origin').catch(() => null)
  const isReachable = remote !== null && /^(?:https?|ssh):\/\//.test(remote)
  return { commit, repository: isReachable ? remote.replace(/^(\w+:\/\/)[^/@]*@/, '$1') : null }
}
