import { expect, test } from 'vitest'
import type { AgentRunnerSettings } from '../../../server/agent/runner-settings.ts'
import { checkConfinement } from '../../../server/commands/doctor/check-confinement.ts'

const agent = { name: 'demo', model: 'demo', command: [], env: {}, files: [] }
const problem = 'The program bwrap is not found; install the package bubblewrap of the system.'

/** The findings where git has a version or is missing, and bubblewrap has a problem or none. */
async function check(
  git: string | undefined,
  bubblewrapProblem?: string,
  confinement: AgentRunnerSettings['confinement'] = 'find',
) {
  const findings = await checkConfinement(
    { agent, confinement },
    {
      readGitVersion: async () => git,
      findConfinement: async () =>
        bubblewrapProblem === undefined
          ? { confinement: { kind: 'bubblewrap', program: '/usr/bin/bwrap' } }
          : { problem: bubblewrapProblem },
      tryConfinement: async given =>
        given.kind === 'command' && given.command[0] === 'false' ? 'exit code 1' : undefined,
    },
  )
  return findings.map(({ level, message, remedy }) => [level, message, remedy])
}

test('git and bubblewrap are there', async () => {
  expect(await check('2.47.3')).toEqual([
    ['ok', 'git 2.47.3 reads and pushes repositories.', null],
    ['ok', 'The agent demo can be confined with bubblewrap.', null],
  ])
})

test('each that is missing has its remedy', async () => {
  expect(await check(undefined, problem)).toEqual([
    ['failure', 'The program git is not found.', 'Install the package git of the system.'],
    ['failure', 'The program bwrap is not found.', 'Install the package bubblewrap of the system.'],
  ])
})

test('without a confinement, bubblewrap is not asked for', async () => {
  expect((await check('2.47.3', problem, { kind: 'none' }))[1]).toEqual([
    'warning',
    'The agent demo runs with all rights of the server (--agent-unconfined).',
    expect.stringContaining('remove the flag'),
  ])
})

test('the command of a sandbox is tried', async () => {
  const of = async (command: string) => (await check('2.47.3', problem, { kind: 'command', command: [command] }))[1]
  expect(await of('env')).toEqual(['ok', 'The agent demo runs in the command of --agent-sandbox.', null])
  expect(await of('false')).toEqual([
    'failure',
    'The command of --agent-sandbox cannot run programs (exit code 1).',
    expect.stringContaining('by hand'),
  ])
})
