import { spawnSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { basename, dirname, sep } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'

/** A unit of systemd, and what it runs. Paths are absolute. */
export interface Service {
  unitFile: string
  user: string
  dataFolder: string
  program: readonly string[]
}

/** What an operator still has to do before a unit starts. */
export interface ServiceSteps {
  /** Commands of a shell, to be run as root in this order. */
  commands: string[]
  /** Paths that the service needs and cannot read, because its unit hides their folder. */
  hidden: string[]
}

const unitFolder = '/etc/systemd/system'
/** `ProtectHome` and `PrivateTmp` hide these from a service. */
const hiddenFolders = ['/home', '/root', '/run/user', '/tmp', '/var/tmp']

/**
 * Lists the commands that make a unit start: they create its user, give it the data folder, whose modes Quire has set, and install the
 * unit. Quire runs none of them: a user, and a service that starts with the machine, are for the administrator to decide.
 */
export function listServiceSteps({ unitFile, user, dataFolder, program }: Service): ServiceSteps {
  const name = basename(unitFile)
  const isOwn = userInfo().username === user
  const commands = [
    ...(isOwn || userExists(user) ? [] : [`useradd --system --no-create-home ${user}`]),
    // Also without it, systemd gives a folder below /var/lib to the user, but only when the unit starts.
    ...(isOwn ? [] : [`chown -R ${user}: ${quote(dataFolder)}`]),
    ...(dirname(unitFile) === unitFolder ? [] : [`install -m 644 ${quote(unitFile)} ${unitFolder}/`]),
    `systemctl daemon-reload && systemctl enable --now ${quote(name)}`,
  ]
  const isHidden = (path: string) => hiddenFolders.some(folder => path === folder || path.startsWith(folder + sep))
  return { commands, hidden: [dataFolder, ...program].filter(isHidden) }
}

/**
 * Refuses what is not a name of a user: it becomes a line of a unit and a part of a command.
 *
 * @throws {OperatorError} with exit code 2.
 */
export function checkUserName(user: string): void {
  if (/^[A-Za-z0-9_][\w.-]{0,31}$/.test(user)) return
  throw new OperatorError(`--user ${user} is not a valid user name. Example: quire`, 2)
}

/** Asks the system, because not all users are in /etc/passwd. A system without `id` has no systemd either. */
function userExists(user: string): boolean {
  return spawnSync('id', ['-u', '--', user], { stdio: 'ignore' }).status === 0
}

/** Quotes a word for a shell of POSIX. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
