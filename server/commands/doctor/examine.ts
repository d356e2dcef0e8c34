import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAsset } from '../../assets.ts'
import { describeBytes } from '../../base/format-bytes.ts'
import type { Config } from '../../config.ts'
import { readBoolean } from '../../flags/setting.ts'
import { mainDatabase } from '../../store/backup/data-files.ts'
import { findNewestTime } from '../../store/inspect-database.ts'
import type { S3Location } from '../../store/s3/s3-location.ts'
import { listKnownSchemas } from '../../store/schema-versions.ts'
import { sqliteVersion } from '../../store/sqlite-version.ts'
import { findBrowser, installCommand } from '../../web/browser/find-browser.ts'
import { BrowserStartError, closeBrowser, hasSandbox, isRoot, launch } from '../../web/browser/launch.ts'
import { checkDatabases } from './check-databases.ts'
import { checkAddress, checkLinkKey } from './check-links.ts'
import { checkPermissions } from './check-permissions.ts'
import { checkPostgres } from './check-postgres.ts'
import { checkSettings, type Setting } from './check-settings.ts'
import { checkStoredBundles } from './check-stored-bundles.ts'
import { type Finding, fail, messageOf, ok, warn } from './finding.ts'

export interface Patient {
  dataFolder: string
  env: NodeJS.ProcessEnv
  /** The settings of all commands. */
  settings: readonly Setting[]
  /** Reads the settings of the server from the environment, and throws when they are not valid. */
  readServer(): Pick<Config, 'publicUrl' | 'bundles' | 'database' | 'linkKeyFile' | 'visitorKeyFile'>
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
      ...(await checkDisk(dataFolder)),
      ...(await checkPermissions(dataFolder)),
      ...(database === undefined ? await checkDatabases(dataFolder, { hasBundles: !bundles }) : []),
      ...(await checkClock(dataFolder, now())),
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
  return [...findings, ...(await checkBrowser(env, allowNoSandbox))]
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

/** Lists the versions, and compares that of Node with the one that Quire is tested with. */
export function checkVersions(nodeVersion: string): Finding[] {
  const { version, optionalDependencies = {} } = JSON.parse(readAsset('package.json')) as {
    version: string
    optionalDependencies?: Record<string, string>
  }
  const { main, visits } = listKnownSchemas()
  const message = `Quire ${version}, Node ${nodeVersion}, SQLite ${sqliteVersion}, schema ${main}, visits schema ${visits}.`
  const pinned = Object.entries(optionalDependencies).find(([name]) => /^node-(bin-)?\w+-\w+$/.test(name))?.[1]
  if (pinned === undefined || nodeVersion === `v${pinned}`) return [ok('versions', message)]
  return [warn('versions', `${message} Quire is tested with Node v${pinned}.`, 'Start Quire with: npx quire')]
}

const mebibyte = 1024 ** 2
/** Below this, an export or an import can fill the disk within minutes. */
const scarceBytes = 2048 * mebibyte
const fullBytes = 256 * mebibyte
const minFreeFiles = 1000

/** Checks the free space of the disk with the data folder. */
export async function checkDisk(dataFolder: string): Promise<Finding[]> {
  const { bavail, bsize, files, ffree } = await statfs(dataFolder)
  const freeBytes = bavail * bsize
  const message = `The disk of ${dataFolder} has ${describeBytes(freeBytes)} free.`
  const remedy = 'Free some space. Old exports: npx quire serve --export-retention-days, npx quire exports delete.'
  const findings =
    freeBytes < fullBytes
      ? [fail('disk', message, remedy)]
      : freeBytes < scarceBytes
        ? [warn('disk', message, remedy)]
        : [ok('disk', message)]
  // Some file systems report 0 of 0.
  if (files > 0 && ffree < minFreeFiles) {
    findings.push(
      fail('disk', `The disk of ${dataFolder} has room for ${ffree} more files.`, 'Delete files that are not needed.'),
    )
  }
  return findings
}

/** Quire did not exist before, so an earlier time is wrong. */
const firstRelease = Date.UTC(2026, 10, 1)
/** Clocks of several machines on one disk may differ by this much. */
const toleranceMs = 60_000
const remedy = 'Check the clock and its synchronisation: timedatectl'

/** Compares the clock with the times that the server and the file system wrote. */
export async function checkClock(dataFolder: string, now: number): Promise<Finding[]> {
  const shown = new Date(now).toISOString()
  if (now < firstRelease) return [fail('clock', `The clock says ${shown}, which is before the first version.`, remedy)]
  const findings: Finding[] = []
  const newest = readNewestTime(dataFolder)
  if (newest && newest.at > now + toleranceMs) {
    const message = `The clock says ${shown}, but ${newest.column} in ${mainDatabase} has ${new Date(newest.at).toISOString()}.`
    findings.push(fail('clock', message, remedy))
  }
  const file = await findNewestFile(dataFolder)
  if (file && file.at > now + toleranceMs) {
    const message = `The clock says ${shown}, but ${file.name} was changed at ${new Date(file.at).toISOString()}.`
    findings.push(warn('clock', message, `${remedy}. On a network disk, also check the clock of its server.`))
  }
  if (findings.length > 0) return findings
  return [ok('clock', `The clock says ${shown}, and nothing in the data folder is newer.`)]
}

function readNewestTime(dataFolder: string) {
  try {
    return findNewestTime(join(dataFolder, mainDatabase))
  } catch {
    // The check of the databases explains why.
    return undefined
  }
}

async function findNewestFile(dataFolder: string): Promise<{ name: string; at: number } | undefined> {
  let newest: { name: string; at: number } | undefined
  for (const name of await readdir(dataFolder)) {
    const at = (await stat(join(dataFolder, name)).catch(() => null))?.mtimeMs
    if (at !== undefined && at > (newest?.at ?? 0)) newest = { name, at }
  }
  return newest
}

/** Finds the browser of exports and starts it, without a page. Says what its sandbox protects. */
export async function checkBrowser(env: NodeJS.ProcessEnv, allowNoSandbox: boolean): Promise<Finding[]> {
  const executablePath = findBrowser(env)
  const named = env.PUPPETEER_EXECUTABLE_PATH
  if (executablePath === null && named) {
    const message = `PUPPETEER_EXECUTABLE_PATH names ${named}, which cannot be executed.`
    return [fail('browser', message, 'Correct the variable, or remove it.')]
  }
  if (executablePath === null) {
    const message = 'There is no Chromium. Pages that need a browser cannot be exported, and bundles are not verified.'
    return [warn('browser', message, installCommand())]
  }
  const folder = await mkdtemp(join(tmpdir(), 'quire-doctor-'))
  try {
    const browser = await launch({ executablePath, profileFolder: join(folder, 'profile'), allowNoSandbox }, 0)
    const version = await browser.version()
    const isSandboxed = hasSandbox(browser)
    await closeBrowser(browser)
    const starts = `${executablePath} starts (${version})`
    if (isSandboxed) return [ok('browser', `${starts}. Its sandbox locks up the scripts of exported sites.`)]
    return [warn('browser', `${starts} without its sandbox. ${describeDanger()}`, leaveRootOrAllow())]
  } catch (error) {
    if (error instanceof BrowserStartError) return [fail('browser', error.problem, error.remedy)]
    return [fail('browser', messageOf(error), `Install it again with its libraries: ${installCommand()}`)]
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

function describeDanger(): string {
  const user = isRoot() ? 'root' : 'the user of Quire'
  return `A script of an exported site that breaks out of the browser becomes ${user}: only the container or virtual machine holds it.`
}

function leaveRootOrAllow(): string {
  const before = isRoot() ? 'Run Quire as another user than root' : 'Allow user namespaces'
  return `${before}, and remove --allow-no-sandbox and QUIRE_ALLOW_NO_SANDBOX. Keep them only where nothing but Quire runs.`
}
