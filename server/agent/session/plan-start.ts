import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Confinement, RunLimits } from '../agent-settings.ts'
import { setpriv } from './run-user.ts'

/** A program that runs confined. In its texts, `{work}` and `{home}` are replaced. */
export interface ConfinedProgram {
  command: readonly string[]
  env: Readonly<Record<string, string>>
  /** What it reads besides /usr. */
  files: readonly string[]
}

/** A program of Quire that runs confined. */
export type OwnProgram = Pick<ConfinedProgram, 'command' | 'files'>

/** How programs in the confinement reach the gate of the model. */
export interface GateEntry {
  /** The program `relay.ts`. */
  relay: OwnProgram
  socket: string
  /** The first part of all paths that the gate accepts. */
  token: string
}

export interface StartRequest {
  confinement: Confinement
  program: ConfinedProgram
  work: string
  home: string
  /** Null = the program needs no model. */
  gate: GateEntry | null
  limits: Pick<RunLimits, 'processes' | 'diskBytes'>
  /** The value of `runVariable`. */
  runId: string
  /** See `findRunUser`. */
  user: number | undefined
}

export interface StartPlan {
  file: string
  args: string[]
  env: Record<string, string>
  cwd: string
  /** Where the program sees the folder of the documentation. */
  seenWork: string
}

/** All processes of a job have this variable. */
export const runVariable = 'QUIRE_AGENT_RUN'

const inside = { work: '/project', home: '/home/agent', run: '/run/quire' }
/** Where files are bound whose own path is taken in the confinement. */
const movedFiles = `${inside.run}/files`
/** These file systems are memory. Larger temporary files belong in HOME. */
const tmpBytes = 64 * 1024 ** 2
const maxOpenFiles = 4096
/** Programs of util-linux, which are used if they are installed. */
const [prlimit, choom] = ['/usr/bin/prlimit', '/usr/bin/choom'] as const
/** Threads count too; a program with Node has about 12. */
const tasksPerProcess = 16

/** Plans the start of a program in a confinement. */
export function planStart(request: StartRequest): StartPlan {
  const { confinement, program, work, home, gate, limits, runId, user } = request
  const isMoved = confinement.kind === 'bubblewrap'
  const seen = isMoved ? inside : { work, home }
  const files = [...new Set([...program.files, ...(gate?.relay.files ?? [])])]
  const renamed = isMoved ? files.filter(isTaken).sort((a, b) => b.length - a.length) : []
  const rename = (text: string) => renamed.reduce((all, file) => all.replaceAll(file, movedFiles + file), text)
  const fill = (text: string) => rename(text).replaceAll('{work}', seen.work).replaceAll('{home}', seen.home)
  const socket = gate && (isMoved ? `${inside.run}/model.sock` : gate.socket)
  const relay = gate && socket ? [...gate.relay.command.map(rename), socket, gate.token] : []
  const inner = [...relay, ...program.command.map(fill)]
  const env = {
    PATH: [...(gate ? nodeFolder(gate.relay, rename) : []), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: seen.home,
    LANG: 'C.UTF-8',
    TMPDIR: `${seen.home}/tmp`,
    ...Object.fromEntries(Object.entries(program.env).map(([name, value]) => [name, fill(value)])),
    [runVariable]: runId,
  }
  const base = { env, cwd: work, seenWork: seen.work }
  if (confinement.kind === 'command') {
    const place = (text: string) => text.replaceAll('{work}', work).replaceAll('{home}', home)
    const texts = confinement.command.filter(text => socket || !text.includes('{socket}'))
    const [file = '', ...args] = texts.map(text => place(text).replaceAll('{socket}', socket ?? ''))
    return { ...base, file, args: [...args, ...inner] }
  }
  const limited = [...limitProgram(limits), ...inner]
  // When the memory of the machine runs out, the system ends these processes first.
  const start = existsSync(choom) ? [choom, '-n', '1000', '--'] : []
  const toFile = ([file = '', ...args]: string[]) => ({ file, args })
  if (confinement.kind === 'none') return { ...base, ...toFile([...start, ...limited]) }
  const bound = files.filter(file => !isBelow(file, '/usr'))
  const folders = makeParents([...bound.map(rename), inside.home, `${inside.run}/model.sock`])
  const binds = bound.flatMap(file => ['--ro-bind', file, rename(file)])
  const gateBind = gate && socket ? ['--bind', gate.socket, socket] : []
  const places = ['--bind', work, inside.work, '--bind', home, inside.home, ...gateBind]
  const last = ['--remount-ro', '/', '--chdir', inside.work, '--', ...leaveRoot(user), ...limited]
  const rights = user === undefined ? asOwnUser : asRoot
  const command = [confinement.program, ...rights, ...bubblewrap(), ...folders, ...binds, ...places, ...last]
  return { ...base, cwd: '/', ...toFile([...start, ...command]) }
}

/** The descriptors that bubblewrap reads and writes besides the standard ones, and what is written to them. */
export const bubblewrapStreams = {
  /** It writes a JSON object with the process id of the first process inside. */
  info: 3,
  /** Programs ask for the name and the home of their user. */
  passwd: { fd: 4, path: '/etc/passwd', write: (user = 1000) => `agent:x:${user}:${user}::${inside.home}:/bin/sh\n` },
  group: { fd: 5, path: '/etc/group', write: (user = 1000) => `agent:x:${user}:\n` },
} as const

const asOwnUser = ['--unshare-user', '--disable-userns', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL']
const asRoot = ['--cap-drop', 'ALL', ...['SETUID', 'SETGID', 'SETPCAP'].flatMap(name => ['--cap-add', `CAP_${name}`])]

function leaveRoot(user: number | undefined): string[] {
  if (user === undefined) return []
  const ids = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups']
  return [setpriv, ...ids, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--']
}

function bubblewrap(): string[] {
  const { info, passwd, group } = bubblewrapStreams
  return [
    ...[
      '--hostname',
      'agent',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-net',
      '--unshare-cgroup-try',
    ],
    ...['--die-with-parent', '--new-session', '--info-fd', String(info)],
    ...['--ro-bind', '/usr', '/usr', ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'].flatMap(bindSystemFolder)],
    ...makeParents([passwd.path]),
    ...['/etc/ld.so.cache', '/etc/alternatives'].flatMap(path => ['--ro-bind-try', path, path]),
    ...[passwd, group].flatMap(({ fd, path }) => ['--perms', '0644', '--ro-bind-data', String(fd), path]),
    // As root in a container, its own setting of --proc leaves kernel.core_pattern writable, which runs programs outside.
    ...['--proc', '/proc', '--remount-ro', '/proc', '--dev', '/dev', ...inMemory('/dev/shm'), '--remount-ro', '/dev'],
    ...inMemory('/tmp'),
  ]
}

const inMemory = (path: string) => ['--perms', '1777', '--size', String(tmpBytes), '--tmpfs', path]

/** Only root could enter the folders that bubblewrap makes without being told. */
function makeParents(paths: readonly string[]): string[] {
  const parents = paths.flatMap(path => {
    const names = dirname(path).split('/').slice(1)
    return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`)
  })
  const missing = [...new Set(parents)].filter(path => path !== '/' && path !== '/tmp')
  return missing.flatMap(path => ['--perms', '0755', '--dir', path])
}

/** Most distributions have links to /usr. */
function bindSystemFolder(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return []
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/** Agents that are scripts run on the Node of Quire: that of the system may be missing or old. The single binary has none. */
function nodeFolder({ command: [runtime = '', ...rest] }: OwnProgram, rename: (path: string) => string): string[] {
  return basename(runtime) === 'node' && rest.length > 0 ? [dirname(rename(runtime))] : []
}

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

/** Whether the confinement has something else at this path. */
function isTaken(path: string): boolean {
  return Object.values(inside).some(folder => isBelow(path, folder))
}

/** Limits of the system for the program and what it starts. The system does not limit the processes of root. */
function limitProgram({ processes, diskBytes }: StartRequest['limits']): string[] {
  const limits = readHardLimits()
  const lower = (name: string, value: number) => Math.min(value, limits.get(name) ?? value)
  const values = [
    '--core=0',
    `--nofile=${lower('Max open files', maxOpenFiles)}`,
    `--nproc=${lower('Max processes', processes * tasksPerProcess)}`,
    `--fsize=${lower('Max file size', diskBytes)}`,
  ]
  return existsSync(prlimit) ? [prlimit, ...values, '--'] : []
}

/** The limits that this process cannot exceed, by their names in /proc/self/limits; without those that are unlimited. */
function readHardLimits(): Map<string, number> {
  try {
    const lines = readFileSync('/proc/self/limits', 'latin1').split('\n').slice(1)
    const entries = lines.map((line): [string, number] => [line.slice(0, 26).trim(), Number(line.slice(47, 68))])
    return new Map(entries.filter(([, value]) => value >= 0))
  } catch {
    return new Map()
  }
}
