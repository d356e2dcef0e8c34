import { existsSync } from 'node:fs'
import type { FollowedLog } from '../../analytics/follow/follow-settings.ts'
import type { Config } from '../../config.ts'
import { readBoolean } from '../../flags/setting.ts'
import { findLogPosition } from '../../store/find-log-position.ts'
import { findPostgresLogPosition } from '../../store/open-postgres.ts'
import type { S3Location } from '../../store/s3/s3-location.ts'
import { checkAgents } from './check-agents.ts'
import { checkBackup } from './check-backup.ts'
import { checkBrowser } from './check-browser.ts'
import { checkClock } from './check-clock.ts'
import { checkConfinement } from './check-confinement.ts'
import { checkDatabases } from './check-databases.ts'
import { checkDisk } from './check-disk.ts'
import { checkAddress, checkLinkKey } from './check-links.ts'
import { checkLogs } from './check-logs.ts'
import { checkPermissions } from './check-permissions.ts'
import { checkPostgres } from './check-postgres.ts'
import { checkSettings, type Setting } from './check-settings.ts'
import { checkStoredBundles } from './check-stored-bundles.ts'
import { checkVersions } from './check-versions.ts'
import { type Finding, fail } from './finding.ts'

interface Patient {
  dataFolder: string
  env: NodeJS.ProcessEnv
  /** The settings of all commands. */
  settings: readonly Setting[]
  /** Reads the settings of the server from the environment, and throws when they are not valid. */
  readServer(): Pick<
    Config,
    'publicUrl' | 'bundles' | 'database' | 'linkKeyFile' | 'visitorKeyFile' | 'follow' | 'node'
  > &
    Partial<Pick<Config, 'agentRunner' | 'role'>>
  /** Where bundles are stored; undefined = where `readServer` says. */
  bundles?: S3Location | undefined
  /** The address of a PostgreSQL database; undefined = that of `readServer`. */
  database?: string | undefined
  /** Whether Chromium may run without its sandbox; undefined = as the environment says. */
  allowNoSandbox?: boolean | undefined
  now(): number
}

/** Runs all checks. Creates and changes nothing in the data folder. */
export async function examine(patient: Patient): Promise<Finding[]> {
  const { dataFolder, env, settings, readServer, now } = patient
  const server = readOrNull(readServer)
  const bundles = patient.bundles ?? server?.bundles
  const database = patient.database ?? server?.database
  const allowNoSandbox = patient.allowNoSandbox ?? allowsNoSandbox(env)
  const findings = [...checkVersions(process.version), ...checkSettings(env, settings, readServer)]
  if (existsSync(dataFolder)) {
    findings.push(
      ...(await checkDisk(dataFolder, now())),
      ...(await checkPermissions(dataFolder)),
      ...(database === undefined ? await checkDatabases(dataFolder, { hasBundles: !bundles }) : []),
      ...(await checkClock(dataFolder, now())),
      ...(database === undefined ? [await checkBackup(dataFolder, now())] : []),
      ...(database === undefined ? [await checkLinkKey(dataFolder, now())] : []),
      // The check of the settings says why they cannot be read.
      ...(server ? [await checkAddress(server.publicUrl)] : []),
    )
  } else if (database === undefined) {
    const remedy = "Give the server's data folder with --data or QUIRE_DATA."
    findings.push(fail('databases', `There is no data folder ${dataFolder}.`, remedy))
  }
  if (bundles && (database !== undefined || existsSync(dataFolder))) {
    findings.push(...(await checkStoredBundles({ dataFolder, database }, bundles)))
  }
  if (database !== undefined) findings.push(...(await checkPostgres(database, { ...server, dataFolder })))
  const findPosition = async ({ file, projectId }: FollowedLog) =>
    database === undefined
      ? findLogPosition(dataFolder, projectId, file)
      : findPostgresLogPosition(database, { node: server?.node, projectId, log: file })
  findings.push(...(await checkLogs(server?.follow.logs ?? [], findPosition)))
  const runner = server?.role === 'api' ? undefined : server?.agentRunner
  if (runner) findings.push(...(await checkConfinement(runner)))
  return [...findings, checkAgents(now()), ...(await checkBrowser(env, allowNoSandbox))]
}

/** Returns null if the settings cannot be read. */
function readOrNull(readServer: Patient['readServer']): ReturnType<Patient['readServer']> | null {
  try {
    return readServer()
  } catch {
    return null
  }
}

/** Read alone, because another setting may make those of the server unreadable. The check of the settings finds wrong values. */
function allowsNoSandbox({ QUIRE_ALLOW_NO_SANDBOX: text = '' }: NodeJS.ProcessEnv): boolean {
  try {
    return readBoolean(text)
  } catch {
    return false
  }
}
