import { resolve } from 'node:path'
import { Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { checkPostgresUrl } from '../store/postgres/postgres-url.ts'
import { nodeOption, visitorKeyFileOption } from './node-options.ts'
import { projectOption } from './options.ts'

/** The parsed flags of `hostVisitsOptions`. */
export interface HostVisitsFlags {
  visitsData?: string
  visitsDatabase?: string
  visitorKeyFile?: string
  node?: string
  project?: string
}

/** Where the requests of a host are counted, and for which project. */
export interface HostVisits {
  /** The data folder of Quire; with a database only for its visitor key. */
  dataFolder: string
  database?: string
  visitorKeyFile?: string
  node?: string
  project: string
}

const databaseFlag = '--visits-database'

/** The flags of a host that counts its requests as visits. */
export function hostVisitsOptions(): Option[] {
  return [
    new Option(
      '--visits-data <folder>',
      'data folder of Quire in which the requests count as visits; needs --project',
    ).env('QUIRE_HOST_VISITS_DATA'),
    new Option(
      `${databaseFlag} <url>`,
      'PostgreSQL database of Quire in which the requests count as visits; needs --project, and --visitor-key-file or --visits-data',
    )
      .env('QUIRE_HOST_VISITS_DATABASE')
      // A chart sets each variable, so an empty one is none.
      .argParser(text => (text === '' ? text : checkPostgresUrl(text, databaseFlag))),
    visitorKeyFileOption(),
    nodeOption(),
    projectOption(),
  ]
}

/** @throws {OperatorError} with exit code 2, if a flag is missing. */
export function readHostVisits(flags: HostVisitsFlags): HostVisits | null {
  const { visitsData, visitsDatabase: database, visitorKeyFile, node, project } = flags
  const flag = database ? databaseFlag : '--visits-data'
  // The other flags may be variables for other commands of the machine.
  if (!visitsData && !database) return null
  const refuse = (reason: string) => new OperatorError(reason, 2)
  if (!project) throw refuse(`${flag} needs --project, which names the project of the visits.`)
  if (!database) {
    if (visitorKeyFile !== undefined) throw refuse(`--visitor-key-file needs ${databaseFlag}.`)
    if (node !== undefined) throw refuse(`--node needs ${databaseFlag}.`)
    return { dataFolder: resolve(visitsData ?? ''), project }
  }
  if (!visitsData && visitorKeyFile === undefined) {
    throw refuse(`${databaseFlag} needs --visitor-key-file, or visitor.key in the folder of --visits-data.`)
  }
  const given = { ...(visitorKeyFile !== undefined && { visitorKeyFile }), ...(node !== undefined && { node }) }
  return { dataFolder: resolve(visitsData ?? '.'), database, ...given, project }
}
