import { readAsset } from '../../assets.ts'
import { listKnownSchemas } from '../../store/schema-versions.ts'
import { sqliteVersion } from '../../store/sqlite-version.ts'
import { type Finding, ok, warn } from './finding.ts'

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
