import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDatabase, listFiles, listTop, mainDatabase } from '../store/backup/data-files.ts'
import { listRecordedBundles } from '../store/backup/recorded-bundles.ts'
import { bundlePath } from '../store/bundle-path.ts'
import { findFolderUsers } from '../store/folder-users.ts'
import { inspectDatabase } from '../store/inspect-database.ts'
import { findKnownSchema } from '../store/schema-versions.ts'
import { type Finding, fail, messageOf, ok, warn } from './finding.ts'

/** Checks each database of the data folder, and whether the files that the databases name exist. */
export async function checkDatabases(dataFolder: string): Promise<Finding[]> {
  const databases = await listDatabases(dataFolder)
  const findings = databases.flatMap(({ path, file }) => checkDatabase(path, file))
  if (!existsSync(join(dataFolder, mainDatabase))) {
    findings.push(
      fail(
        'databases',
        `There is no ${mainDatabase} in ${dataFolder}.`,
        'Give the data folder of the server with --data or QUIRE_DATA. If the file is lost, restore a backup.',
      ),
    )
  } else findings.push(...(await checkBundles(dataFolder)))
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

function checkDatabase(path: string, file: string): Finding[] {
  try {
    const { schema, problem } = inspectDatabase(file)
    const known = findKnownSchema(path)
    if (problem !== null) {
      const remedy = 'Stop the server, and restore a backup. To rescue what can be read: sqlite3 FILE .recover'
      return [fail('databases', `${path} is damaged: ${problem}.`, remedy)]
    }
    if (path === mainDatabase && schema === 0) {
      return [fail('databases', `${path} is empty.`, 'Stop the server, and restore a backup.')]
    }
    if (known !== undefined && schema > known) {
      const message = `${path} has schema ${schema}; this Quire knows ${known}.`
      return [fail('databases', message, 'Upgrade Quire, or restore a backup of the older version.')]
    }
    if (known !== undefined && schema < known) {
      const message = `${path} has schema ${schema}; the next start of the server upgrades it to ${known}.`
      return [warn('databases', message, 'Back up first: an older Quire cannot read it afterwards.')]
    }
    return [ok('databases', `${path} is sound${known === undefined ? '' : `, schema ${schema}`}.`)]
  } catch (error) {
    return [fail('databases', `${path} cannot be checked.`, messageOf(error))]
  }
}

async function checkBundles(dataFolder: string): Promise<Finding[]> {
  try {
    const recorded = listRecordedBundles(join(dataFolder, mainDatabase))
    const wrong: string[] = []
    for (const { jobId, fileName, sizeBytes } of recorded) {
      const stats = await stat(bundlePath(join(dataFolder, 'bundles'), fileName)).catch(() => null)
      if (stats?.size !== sizeBytes) wrong.push(jobId)
    }
    if (wrong.length === 0)
      return recorded.length === 0 ? [] : [ok('databases', 'Each completed export has its bundle.')]
    const names = `${wrong.slice(0, 3).join(', ')}${wrong.length > 3 ? ' ...' : ''}`
    const message = `The bundles of ${wrong.length} of ${recorded.length} completed exports are missing or cut off: ${names}.`
    return [
      fail('databases', message, 'Restore them from a backup, or delete these exports: npx quire exports delete ID'),
    ]
  } catch {
    // The check of the database has explained why.
    return []
  }
}
