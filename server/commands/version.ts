import { Command } from 'commander'
import { type BuildFacts, isBinary, packedAssets, readAsset } from '../assets.ts'
import { toOption } from '../flags/setting.ts'
import { shared } from '../flags/shared-settings.ts'
import { listKnownSchemas } from '../store/schema-versions.ts'
import { sqliteVersion } from '../store/sqlite-version.ts'
import { printJson } from './print.ts'

/** What `quire version --json` prints. */
interface Versions {
  version: string
  /** Whether this is the single binary. */
  binary: boolean
  /** Null unless this is the single binary, made from exactly this commit. */
  commit: string | null
  /** Such as `linux-x64`. */
  system: string
  node: string
  sqlite: string
  /** The newest schemas that this Quire knows. */
  schemas: { main: number; visits: number }
}

export function versionCommand(): Command {
  return new Command('version')
    .description('print the versions of Quire and of what it runs on')
    .addOption(toOption(shared.json))
    .addHelpText('after', '\nExamples:\n  npx quire version\n  npx quire version --json')
    .action(({ json }: { json?: boolean }) => {
      const versions = readVersions()
      if (json) printJson(versions)
      else console.log(describe(versions))
    })
}

function readVersions(): Versions {
  const { commit, target }: Pick<BuildFacts, 'commit' | 'target'> = isBinary
    ? JSON.parse(readAsset(packedAssets.build))
    : { commit: null, target: `${process.platform}-${process.arch}` }
  return {
    version: JSON.parse(readAsset('package.json')).version,
    binary: isBinary,
    commit,
    system: target,
    node: process.versions.node,
    sqlite: sqliteVersion,
    schemas: listKnownSchemas(),
  }
}

function describe({ version, binary, commit, system, node, sqlite, schemas }: Versions): string {
  const made = binary ? `, single binary for ${system}${commit === null ? '' : `, commit ${commit}`}` : ''
  return `Quire ${version}${made}\nNode ${node}, SQLite ${sqlite}, schema ${schemas.main}, visits schema ${schemas.visits}`
}
