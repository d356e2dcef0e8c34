import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeControls } from '../../base/escape-controls.ts'
import type { Credential } from '../agent-source.ts'
import { findProtocol, type SourceProtocol } from './source-names.ts'

export interface GitSettings {
  /** A private folder of the job. It is the HOME of git, and has the index and, during a connection, the credential. */
  scratch: string
  signal: AbortSignal
  credential: Credential | null
}

export interface GitCall {
  input?: string | Buffer
  /** The address that git connects to. Without it, git may use no protocol, and gets no credential. */
  url?: string
  env?: Readonly<Record<string, string>>
  /** More output ends git: with an error, or with `isCut` if `mayCut`. */
  maxOutputBytes?: number
  mayCut?: boolean
  /** The largest file that git and its programs may write. */
  maxFileBytes?: number
}

export interface GitOutput {
  stdout: Buffer
  isCut: boolean
  /** The first and the last 32 kB, without secrets. It can have control characters. */
  stderr: string
}

/** git ended with an error. The message has the last lines that it printed, without secrets. */
export class GitError extends Error {
  /** Null if a signal ended git. */
  readonly exitCode: number | null
  readonly stdout: string
  /** The end of what git printed, without secrets. It can have control characters. */
  readonly stderr: string
  constructor(message: string, exitCode: number | null = null, stdout = '', stderr = '') {
    super(message)
    this.name = 'GitError'
    this.exitCode = exitCode
    this.stdout = stdout
    this.stderr = stderr
  }
}

const defaultOutputBytes = 4 << 20
const keptErrorBytes = 32 << 10
/** A server that sends nothing must not hold a job until the end of its time. */
const timeoutMs = 10 * 60_000

/** Settings that no configuration can change, because options of the command line win. Nothing that a repository holds runs. */
const fixedSettings = [
  ...[
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.attributesFile=/dev/null',
    'core.excludesFile=/dev/null',
  ],
  ...['core.protectHFS=true', 'core.protectNTFS=true', 'core.quotePath=true', 'core.askPass=', 'core.autocrlf=false'],
  ...[
    'credential.helper=',
    'gc.auto=0',
    'maintenance.auto=false',
    'submodule.recurse=false',
    'fetch.recurseSubmodules=no',
  ],
  // A redirect could lead to another host, which would then get the credential.
  ...['http.followRedirects=false', 'push.gpgSign=false', 'push.followTags=false', 'i18n.commitEncoding=UTF-8'],
]

/** Runs git on a bare repository, with settings that depend neither on the machine nor on the repository. */
export async function runGit(
  bare: string,
  args: readonly string[],
  settings: GitSettings,
  call: GitCall = {},
): Promise<GitOutput> {
  settings.signal.throwIfAborted()
  const protocol = call.url === undefined ? undefined : findProtocol(call.url)
  const credential = protocol && settings.credential ? await writeCredential(protocol, settings) : undefined
  try {
    const options = [...fixedSettings, ...(credential?.settings ?? [])].flatMap(setting => ['-c', setting])
    const environment = { ...describeEnvironment(settings, protocol, credential?.file), ...call.env }
    return await collect(['--git-dir', bare, ...options, ...args], environment, settings, call)
  } finally {
    if (credential) await rm(credential.file, { force: true })
  }
}

/** Runs git and returns the first line of what it prints. */
export async function askGit(
  bare: string,
  args: readonly string[],
  settings: GitSettings,
  call?: GitCall,
): Promise<string> {
  const { stdout } = await runGit(bare, args, settings, call)
  return stdout.toString('utf8').split('\n', 1)[0] ?? ''
}

function describeEnvironment(settings: GitSettings, protocol: SourceProtocol | undefined, keyFile: string | undefined) {
  const env: Record<string, string> = {
    ...{ PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: settings.scratch, XDG_CONFIG_HOME: settings.scratch },
    ...{ LANG: 'C', LC_ALL: 'C', TERM: 'dumb', TZ: 'UTC' },
    ...{
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
    },
    ...{ GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_LFS_SKIP_SMUDGE: '1' },
    GIT_ALLOW_PROTOCOL: protocol ?? 'none',
  }
  // Where companies keep the certificates of their own forge.
  for (const name of ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO'])
    if (process.env[name] !== undefined) env[name] = process.env[name]
  if (protocol === 'ssh')
    Object.assign(env, { GIT_SSH_VARIANT: 'ssh', GIT_SSH_COMMAND: describeSsh(settings.scratch, keyFile) })
  return env
}

/**
 * ssh finds its configuration and known hosts by the account, not by HOME, so both are given. The scratch folder is new for each
 * job: accept-new then accepts the first key of a host, and refuses another one later in the job. /etc/ssh/ssh_known_hosts still
 * applies: list the host there to have its key checked always. BatchMode: nobody is there to answer a question.
 */
function describeSsh(scratch: string, keyFile: string | undefined): string {
  const options = [
    'BatchMode=yes',
    'StrictHostKeyChecking=accept-new',
    `UserKnownHostsFile=${join(scratch, 'known_hosts')}`,
  ]
  // Without a stored key, ssh uses the keys of the account that the server runs as.
  if (keyFile !== undefined) options.push('IdentitiesOnly=yes', 'IdentityAgent=none')
  const words = ['ssh', '-F', '/dev/null', '-a', '-x', ...(keyFile === undefined ? [] : ['-i', keyFile])]
  return [...words, ...options.flatMap(option => ['-o', option])].map(quote).join(' ')
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/**
 * Writes the credential to a file that only this account can read, for the time of one connection. git reads a password from it by
 * a helper, so that the password is in no argument, environment, address or configuration.
 */
async function writeCredential(protocol: SourceProtocol, { scratch, credential }: GitSettings) {
  if (!credential || protocol === 'file') return undefined
  const file = join(scratch, 'credential')
  const isKey = protocol === 'ssh'
  if (!isKey && /[\n\r\0]/.test(credential.user + credential.secret))
    throw new GitError('The stored credential has a line break.')
  // ssh refuses a key without a line break at its end.
  const text = isKey
    ? `${credential.secret.trimEnd()}\n`
    : `username=${credential.user}\npassword=${credential.secret}\n`
  await rm(file, { force: true })
  await writeFile(file, text, { mode: 0o600, flag: 'wx' })
  return { file, settings: isKey ? [] : [`credential.helper=!f() { test "$1" != get || cat ${quote(file)}; }; f`] }
}

async function collect(
  args: readonly string[],
  env: Record<string, string>,
  settings: GitSettings,
  { input, maxOutputBytes = defaultOutputBytes, mayCut = false, maxFileBytes }: GitCall,
): Promise<GitOutput> {
  // A group of its own, because git starts programs for connections that must end with it.
  const limited = maxFileBytes === undefined ? '' : `ulimit -f ${Math.ceil(maxFileBytes / 512)} && `
  const child = spawn('/bin/sh', ['-c', `${limited}exec git "$@"`, 'git', ...args], {
    cwd: settings.scratch,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  const limit = AbortSignal.any([settings.signal, AbortSignal.timeout(timeoutMs)])
  limit.addEventListener('abort', kill, { once: true })
  const pieces: Buffer[] = []
  let bytes = 0
  child.stdout.on('data', (piece: Buffer) => {
    if (bytes <= maxOutputBytes) pieces.push(piece)
    bytes += piece.length
    if (bytes > maxOutputBytes) kill()
  })
  let stderr = ''
  child.stderr.setEncoding('latin1').on('data', (text: string) => {
    stderr += text
    if (stderr.length > 4 * keptErrorBytes) stderr = stderr.slice(0, keptErrorBytes) + stderr.slice(-keptErrorBytes)
  })
  // git may end before it has read everything; its exit code tells why.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', error => reject(new GitError(`The program git cannot be started: ${error.message}`)))
    child.on('close', resolve)
  }).finally(() => limit.removeEventListener('abort', kill))
  settings.signal.throwIfAborted()
  const stdout = Buffer.concat(pieces).subarray(0, maxOutputBytes)
  const isCut = bytes > maxOutputBytes
  const errors = removeSecrets(Buffer.from(stderr, 'latin1').toString('utf8'), settings.credential)
  if (exitCode !== 0 && !(isCut && mayCut)) {
    const reason = isCut ? 'printed too much' : limit.aborted ? 'took too long' : `ended with ${exitCode ?? 'a signal'}`
    const command = args.find((word, index) => index > 1 && /^[a-z]/.test(word) && args[index - 1] !== '-c') ?? ''
    const message = `git ${command} ${reason}: ${describeErrors(errors)}`
    throw new GitError(message, exitCode, stdout.toString('utf8'), errors.slice(-4000))
  }
  return { stdout, isCut, stderr: errors }
}

/** Returns the last lines that git printed, without control characters. */
function describeErrors(stderr: string): string {
  const lines = stderr.split('\n').map(line => line.trim())
  return lines
    .filter(line => line !== '')
    .slice(-6)
    .map(line => escapeControls(line.slice(0, 300)))
    .join(' | ')
}

/** Replaces the secret in each form in which git, ssh or a server may print it, and the user information of addresses. */
export function removeSecrets(text: string, credential: Credential | null): string {
  const secrets = credential ? [credential.secret, ...credential.secret.split('\n')] : []
  const forms = secrets.flatMap(secret => [
    ...[secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')],
    Buffer.from(`${credential?.user}:${secret}`).toString('base64'),
  ])
  let result = text
  for (const form of forms) if (form.length >= 4) result = result.replaceAll(form, '***')
  return result.replaceAll(/\/\/[^\s/@]{1,500}@/g, '//***@')
}
