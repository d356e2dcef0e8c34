import { noGit, readGitVersion } from '../../agent/run/find-runner-problem.ts'
import type { AgentRunnerSettings } from '../../agent/runner-settings.ts'
import { findConfinement, tryConfinement } from '../../agent/session/find-confinement.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const tools = { readGitVersion, findConfinement, tryConfinement }

/** Checks that the agents of a server can be confined, and that git is there. Starts both programs. */
export async function checkConfinement(
  { agent, confinement }: Pick<AgentRunnerSettings, 'agent' | 'confinement'>,
  { readGitVersion, findConfinement, tryConfinement }: typeof tools = tools,
): Promise<Finding[]> {
  const git = await readGitVersion()
  const findings =
    git === undefined ? [toFailure(noGit)] : [ok('confinement', `git ${git} reads and pushes repositories.`)]
  if (confinement !== 'find' && confinement.kind === 'none') return [...findings, warnUnconfined(agent.name)]
  if (confinement !== 'find') return [...findings, judgeSandbox(agent.name, await tryConfinement(confinement))]
  const found = await findConfinement()
  if ('problem' in found) return [...findings, toFailure(found.problem)]
  return [...findings, ok('confinement', `The agent ${agent.name} can be confined with bubblewrap.`)]
}

/** A problem is one sentence, in which the remedy follows the last semicolon. */
function toFailure(problem: string): Finding {
  const at = problem.lastIndexOf('; ')
  const remedy = problem.slice(at + 2)
  return fail('confinement', `${problem.slice(0, at)}.`, remedy.charAt(0).toUpperCase() + remedy.slice(1))
}

function judgeSandbox(name: string, problem: string | undefined): Finding {
  if (problem === undefined) return ok('confinement', `The agent ${name} runs in the command of --agent-sandbox.`)
  const message = `The command of --agent-sandbox cannot run programs (${problem}).`
  return fail('confinement', message, 'Run it by hand with the program `true` at its end, and mend it.')
}

function warnUnconfined(name: string): Finding {
  const message = `The agent ${name} runs with all rights of the server (--agent-unconfined).`
  const remedy = 'Keep it only in a container or virtual machine that agents may take over. Otherwise, remove the flag.'
  return warn('confinement', message, remedy)
}
