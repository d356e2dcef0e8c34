import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { NewAgentEvent } from '../../server/agent/agent-event.ts'
import type { Agent, Confinement, ModelEndpoint, RunLimits } from '../../server/agent/agent-settings.ts'
import { RunError } from '../../server/agent/run-end.ts'
import { openSession, type SessionOptions } from '../../server/agent/session/agent-session.ts'
import { findConfinement } from '../../server/agent/session/find-confinement.ts'
import { describeProgram } from '../../server/assets.ts'
import { listProcesses } from '../../server/base/processes.ts'
import { fakeAgentFile, usualLimits } from './fake-agents.ts'
import { createJobFolders } from './job-folders.ts'
import { runProgram } from './program.ts'

const found = await findConfinement()
/** Undefined on a machine where bubblewrap is missing or cannot work. */
export const bubblewrap: Confinement | undefined = 'confinement' in found ? found.confinement : undefined
if ('problem' in found) console.warn(`Tests of confined agents are skipped: ${found.problem}`)

/** The confinements that can be tested here. */
export const confinements: Confinement[] = [...(bubblewrap ? [bubblewrap] : []), { kind: 'none' }]

/** Creates the folders of a job, with one page, and returns the options of its session. */
export function prepareSession(
  agent: Agent,
  confinement: Confinement,
  { limits = {}, ...rest }: Partial<Omit<SessionOptions, 'limits'>> & { limits?: Partial<RunLimits> } = {},
): SessionOptions & { events: NewAgentEvent[] } {
  const events: NewAgentEvent[] = []
  return {
    ...{ agent, confinement, events, endpoint: null },
    ...createJobFolders(folder =>
      onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })),
    ),
    relay: describeProgram('agent/session/relay'),
    limits: { ...usualLimits, ...limits },
    onEvent: event => void events.push(event),
    signal: new AbortController().signal,
    ...rest,
  }
}

/** Gives one instruction and closes the session. Returns the error. No process of the job may be left. */
export async function runSession(options: SessionOptions, prompt = 'Fix the typo.'): Promise<RunError | undefined> {
  try {
    const session = await openSession(options)
    try {
      await session.prompt(prompt)
    } finally {
      await session.close()
    }
    return undefined
  } catch (error) {
    if (error instanceof RunError) return error
    throw error
  } finally {
    expect(listLeft(options.home)).toEqual([])
  }
}

/** The processes with this folder in their environment or in their command: those of the job, and its bubblewrap. */
export function listLeft(home: string): number[] {
  return listProcesses()
    .map(({ pid }) => pid)
    .filter(pid => [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`].some(path => has(path, home)))
}

function has(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes(text)
  } catch {
    return false
  }
}

/** Runs a session like `runSession`, in a program of its own as the user nobody. Only root can start it. */
export async function runSessionAsNobody(
  agent: Agent,
  endpoint: ModelEndpoint | null,
  limits: Partial<RunLimits> = {},
) {
  const user = ['--reuid=65534', '--regid=65534', '--clear-groups']
  const given = JSON.stringify({ agent, endpoint, confinement: bubblewrap, limits: { ...usualLimits, ...limits } })
  const program = join(import.meta.dirname, 'session-program.ts')
  const { stdout, stderr } = await runProgram([...user, process.execPath, program, given], {
    program: 'setpriv',
    env: { TMPDIR: '/tmp' },
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as { error?: { code: string; message: string }; events: NewAgentEvent[]; page: string }
}

/** Whether the tests run as root, and another user can read the files of the project. */
export const canBecomeNobody =
  process.getuid?.() === 0 &&
  spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '--check', fakeAgentFile])
    .status === 0
