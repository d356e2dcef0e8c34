import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { AgentRunnerSettings } from '../runner-settings.ts'
import { findConfinement } from '../session/find-confinement.ts'

/** Returns the version of git, such as 2.47.3; undefined = it cannot be run. */
export async function readGitVersion(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { timeout: 10_000 })
    return /^git version (\S+)/.exec(stdout)?.[1]
  } catch {
    return undefined
  }
}

export const noGit = 'The program git is not found; install the package git of the system.'

/** Says in one sentence with the remedy why no agent can run on this machine; undefined = agents can. */
export async function findRunnerProblem({
  confinement,
}: Pick<AgentRunnerSettings, 'confinement'>): Promise<string | undefined> {
  if ((await readGitVersion()) === undefined) return noGit
  if (confinement !== 'find') return undefined
  const found = await findConfinement()
  return 'problem' in found ? found.problem : undefined
}
