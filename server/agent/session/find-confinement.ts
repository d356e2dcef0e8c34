import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { findInPath } from '../../base/executables.ts'
import type { Confinement } from '../agent-settings.ts'
import { runConfined } from './run-confined.ts'

const trialMs = 10_000
/** The first version with all the options that are used. */
const neededVersion = { major: 0, minor: 8 }

export type FoundConfinement = { confinement: Confinement } | { problem: string }

/** Finds bubblewrap and tries it once. `problem` is one sentence with the remedy. */
export async function findConfinement(path = process.env.PATH ?? ''): Promise<FoundConfinement> {
  if (process.platform !== 'linux')
    return { problem: `Agents are confined only on Linux, and this is ${process.platform}; run the server on Linux.` }
  const program = findInPath('bwrap', [path, '/usr/bin', '/bin'].join(delimiter))
  if (program === undefined)
    return { problem: 'The program bwrap is not found; install the package bubblewrap of the system.' }
  const version = await readVersion(program)
  if (version === undefined || !isRecent(version))
    return { problem: `${program} is version ${version ?? 'unknown'}; install bubblewrap 0.8 or later.` }
  const confinement: Confinement = { kind: 'bubblewrap', program }
  const reason = await tryConfinement(confinement)
  return reason === undefined
    ? { confinement }
    : { problem: `${program} cannot confine programs (${reason}); ${remedy()}.` }
}

async function readVersion(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: trialMs })
    return /^bubblewrap (\d+\.\d+\S*)/m.exec(stdout)?.[1]
  } catch {
    return undefined
  }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > neededVersion.major || (major === neededVersion.major && minor >= neededVersion.minor)
}

/** Runs a program that does nothing. Returns why that failed. */
export async function tryConfinement(confinement: Confinement): Promise<string | undefined> {
  let folder: string | undefined
  try {
    folder = await mkdtemp(join(tmpdir(), 'quire-confinement-'))
    const [work, home] = [join(folder, 'work'), join(folder, 'home')]
    for (const path of [work, home]) await mkdir(path)
    const { exitCode } = await runConfined({
      ...{ confinement, work, home, lastBytes: 1000, signal: AbortSignal.timeout(trialMs) },
      program: { command: ['true'], env: {}, files: [] },
      limits: { memoryBytes: 512 * 1024 ** 2, processes: 20, diskBytes: 1024 ** 2, outputBytes: 1000 },
    })
    return exitCode === 0 ? undefined : `exit code ${exitCode}`
  } catch (error) {
    const { cause, message } = error as Error
    return (cause instanceof Error ? cause.message : message).split('\n')[0]?.slice(0, 300)
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
}

function remedy(): string {
  if (readSetting('user/max_user_namespaces') === '0') return 'set user.max_user_namespaces to 10000 with sysctl'
  if (readSetting('kernel/unprivileged_userns_clone') === '0')
    return 'set kernel.unprivileged_userns_clone to 1 with sysctl'
  if (readSetting('kernel/apparmor_restrict_unprivileged_userns') === '1')
    return 'allow user namespaces to bwrap with an AppArmor profile, or set kernel.apparmor_restrict_unprivileged_userns to 0 with sysctl'
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv'))
    return 'allow the container to create user namespaces and to mount: with Docker, --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined'
  return 'see whether the system allows user namespaces to this user, such as with `bwrap --unshare-user --ro-bind / / true`'
}

function readSetting(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name}`, 'utf8').trim()
  } catch {
    return undefined
  }
}
