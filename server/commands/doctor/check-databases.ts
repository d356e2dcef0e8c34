import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDatabase, listFiles, listTop, mainDatabase } from '../../store/backup/data-files.ts'
import { listRecordedBundles } from '../../store/backup/recorded-bundles.ts'
import { isKnownDamage } from '../../store/bundle-check.ts'
import { bundlePath } from '../../store/bundle-path.ts'
import { findFolderUsers } from '../../store/folder-users.ts'
import { inspectDatabase } from '../../store/inspect-database.ts'
import { canUse } from '../../store/schema-span.ts'
import { findKnownSchema, findSchemaFolder } from '../../store/schema-versions.ts'
import { findFileProblem, listVisited } from '../../store/visits/visit-records.ts'
import { type Finding, fail, messageOf, ok, warn } from './finding.ts'
import { nameJobs } from './name-jobs.ts'

const visitsRemedy =
  'Stop the server, and restore the file from a backup. To count from zero instead: npx quire visits reset --project ID --yes'

/**
 * Checks each database of the data folder, and whether the files that the databases name exist.
 *
 * @param hasBundles whether bundles are in the data folder.
 */
export async function checkDatabases(dataFolder: string, { hasBundles = true } = {}): Promise<Finding[]> {
  const databases = await listDatabases(dataFolder)
  const { visited, unknown } = readVisited(dataFolder)
  const pathOf = (projectId: string) => `visits/${encodeURIComponent(projectId)}.db`
  // A database of an older version does not say which projects had visits. A file says that there were some.
  const withVisits = new Set([...visited, ...unknown].map(pathOf))
  const findings = databases.flatMap(({ path, file }) => checkDatabase(path, file, withVisits.has(path)))
  for (const path of visited.map(pathOf)) {
    if (findFileProblem(join(dataFolder, path)) === 'missing') {
      findings.push(fail('databases', `${path} is missing, but visits of the project were counted.`, visitsRemedy))
    }
  }
  if (!existsSync(join(dataFolder, mainDatabase))) {
    findings.push(
      fail(
        'databases',
        `There is no ${mainDatabase} in ${dataFolder}.`,
        'Give the data folder of the server with --data or QUIRE_DATA. If the file is lost, restore a backup.',
      ),
    )
  } else if (hasBundles) findings.push(...(await checkBundles(dataFolder)))
  const hasVisits = databases.some(({ path }) => path.startsWith('visits/'))
  if (hasVisits && !existsSync(join(dataFolder, 'visitor.key'))) {
    const remedy = 'Restore visitor.key from a backup. With another key, all visitors would count again.'
    findings.push(fail('databases', 'visitor.key is missing, but visitors were counted with it.', remedy))
  }
  const [user] = await findFolderUsers(dataFolder)
  if (user !== undefined) findings.push(ok('databases', `Process ${user} uses the data folder.`))
  return findings
}

async function listDatabases(dataFolder: string): Promise<{ path: string; file: string }[]> {
  const top = await listTop(dataFolder)
  const names = [mainDatabase, ...top.filter(name => name !== 'bundles' && name !== 'lost')]
  const found: { path: string; file: string }[] = []
  for (const name of names) {
    for (const { path, file } of await listFiles(dataFolder, name, () => {})) {
      // An unreadable file is reported where it is opened.
      const hasContent = await isDatabase(file).catch(() => true)
      if (path === mainDatabase || path.endsWith('.db') || hasContent) found.push({ path, file })
    }
  }
  return found
}

/** @param hasVisits whether it is the database of a project that had visits. */
function checkDatabase(path: string, file: string, hasVisits: boolean): Finding[] {
  try {
    const { span, isEmpty, foreign, problem } = inspectDatabase(file, findSchemaFolder(path))
    const known = findKnownSchema(path)
    const schema = span.version
    if (problem !== null) {
      const remedy = 'Stop the server, and restore a backup. To rescue what can be read: sqlite3 FILE .recover'
      return [fail('databases', `${path} is damaged: ${problem}.`, remedy)]
    }
    if (path === mainDatabase && isEmpty) {
      return [fail('databases', `${path} is empty.`, 'Stop the server, and restore a backup.')]
    }
    if (foreign !== null) {
      const remedy = 'Stop the server, move the file away, and restore a backup if there is one.'
      return [fail('databases', `${path} cannot be used: ${foreign}`, remedy)]
    }
    if (hasVisits && isEmpty) {
      return [fail('databases', `${path} is empty, but visits of the project were counted.`, visitsRemedy)]
    }
    if (known !== undefined && !canUse(span, known)) {
      const message = `${path} has schema ${schema}; this Quire knows ${known}.`
      return [fail('databases', message, 'Upgrade Quire, or restore a backup of the older version.')]
    }
    if (known !== undefined && schema < known) {
      const message = `${path} has schema ${schema}; the next start of the server upgrades it to ${known}.`
      return [warn('databases', message, 'Back up first: an older Quire may not be able to use it afterwards.')]
    }
    if (known !== undefined && schema > known) {
      return [ok('databases', `${path} is sound, schema ${schema} of a newer Quire, which this one can use.`)]
    }
    return [ok('databases', `${path} is sound${known === undefined ? '' : `, schema ${schema}`}.`)]
  } catch (error) {
    return [fail('databases', `${path} cannot be checked.`, messageOf(error))]
  }
}

function readVisited(dataFolder: string): ReturnType<typeof listVisited> {
  try {
    return listVisited(join(dataFolder, mainDatabase))
  } catch {
    // It is missing, or the check of the database explains why.
    return { visited: [], unknown: [] }
  }
}

async function checkBundles(dataFolder: string): Promise<Finding[]> {
  try {
    const recorded = listRecordedBundles(join(dataFolder, mainDatabase))
    const wrong: string[] = []
    for (const { jobId, fileName, sizeBytes, damage } of recorded) {
      const stats = await stat(bundlePath(join(dataFolder, 'bundles'), fileName)).catch(() => null)
      const isKnown = damage !== undefined && stats !== null && isKnownDamage({ damage }, stats)
      if (stats?.size !== sizeBytes || isKnown) wrong.push(jobId)
    }
    if (wrong.length === 0)
      return recorded.length === 0 ? [] : [ok('databases', 'Each completed export has its bundle.')]
    const message = `The bundles of ${wrong.length} of ${recorded.length} completed exports are missing, cut off or damaged: ${nameJobs(wrong)}.`
    const remedy = 'Restore them from a backup, or delete these exports: npx quire exports delete ID'
    // A server whose bundles are elsewhere must not lose its exports.
    const hint = wrong.length === recorded.length ? 'If the server stores bundles in S3, set QUIRE_BUNDLES. ' : ''
    return [fail('databases', message, `${hint}${remedy}`)]
  } catch {
    // The check of the database has explained why.
    return []
  }
}
