import { InvalidArgumentError, Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { type Config, type Role, roles } from '../config.ts'
import type { S3Location } from '../store/s3/s3-location.ts'
import { nonEmpty } from './non-empty.ts'

/** The parsed flags of `nodeOptions`, and what they need. */
export interface NodeFlags {
  role: Role
  linkKeyFile?: string
  visitorKeyFile?: string
  node?: string
  database?: string
  bundles?: S3Location
}

const maxNodeLength = 255

/** The flags of a server that is one of several with the same database. */
export function nodeOptions(): Option[] {
  return [
    new Option(
      '--role <role>',
      'what this server does: answer requests (api), run exports and delete by age (runner), or all; ' +
        'api and runner need --database and --bundles s3://',
    )
      .env('QUIRE_ROLE')
      .choices(roles)
      .default('all'),
    linkKeyFileOption(),
    visitorKeyFileOption(),
    nodeOption(),
  ]
}

/** `--link-key-file`, for every command that uses the key of bundle links. */
export function linkKeyFileOption(): Option {
  return new Option(
    '--link-key-file <file>',
    'file with the key of bundle links that all servers of a --database share: 64 hexadecimal digits in the first line, ' +
      'and earlier keys in further lines (default: link.key in the data folder)',
  )
    .env('QUIRE_LINK_KEY_FILE')
    .argParser(nonEmpty('a file, such as /etc/quire/link.key'))
}

/** `--visitor-key-file`, for every command that counts visitors. */
export function visitorKeyFileOption(): Option {
  return new Option(
    '--visitor-key-file <file>',
    'file with the key of the visitors that all machines with a --database share: 64 hexadecimal digits ' +
      '(default: visitor.key in the data folder)',
  )
    .env('QUIRE_VISITOR_KEY_FILE')
    .argParser(nonEmpty('a file, such as /etc/quire/visitor.key'))
}

/** `--node`, for every command that follows logs or copies the positions in them. */
export function nodeOption(): Option {
  return new Option(
    '--node <name>',
    'name under which a --database stores the positions in followed logs; give it to containers, whose host names change ' +
      '(default: the host name)',
  )
    .env('QUIRE_NODE')
    .argParser(readNodeName)
}

function readNodeName(text: string): string {
  const name = text.trim()
  if (name !== '' && name.length <= maxNodeLength) return name
  throw new InvalidArgumentError(`It must be a name of 1 to ${maxNodeLength} characters, such as proxy-1.`)
}

/** @throws {OperatorError} with exit code 2, if a flag for several machines is given without their database. */
export function checkNodeFlags({
  database,
  visitorKeyFile,
  node,
}: Partial<Pick<NodeFlags, 'database' | 'visitorKeyFile' | 'node'>>): void {
  if (database !== undefined) return
  const refuse = (reason: string) => {
    throw new OperatorError(reason, 2)
  }
  if (visitorKeyFile !== undefined) {
    refuse('--visitor-key-file needs --database. With SQLite, the key is visitor.key in the data folder.')
  }
  if (node !== undefined) {
    refuse('--node needs --database. With SQLite, the positions in followed logs are in the data folder.')
  }
}

/**
 * Checks the flags of a server that is one of several.
 *
 * @throws {OperatorError} with exit code 2, naming the flag and the remedy.
 */
export function readNode(flags: NodeFlags): Pick<Config, 'role' | 'linkKeyFile' | 'visitorKeyFile' | 'node'> {
  const { role, linkKeyFile, visitorKeyFile, node, database, bundles } = flags
  checkNodeFlags(flags)
  if (linkKeyFile !== undefined && database === undefined) {
    throw new OperatorError('--link-key-file needs --database. With SQLite, the key is link.key in the data folder.', 2)
  }
  if (role === 'all') return { role, linkKeyFile, visitorKeyFile, node }
  const missing = [
    ...(database === undefined
      ? ['--database postgres://..., because servers on several machines cannot share SQLite']
      : []),
    ...(bundles
      ? []
      : ['--bundles s3://..., because other machines do not see the bundles in the data folder of this one']),
    ...(role === 'api' && linkKeyFile === undefined
      ? [
          '--link-key-file, because each server must accept the bundle links of the others (make a key: openssl rand -hex 32)',
        ]
      : []),
  ]
  if (missing.length > 0) throw new OperatorError(`--role ${role} needs ${missing.join('; ')}.`, 2)
  return { role, linkKeyFile, visitorKeyFile, node }
}
