import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'

// The only file that knows where shipped files are.
const root = join(import.meta.dirname, '..')

/** Reads the text of a file that ships with Quire, by its path from the top folder. */
export function readAsset(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** Lists the names in a folder that ships with Quire, sorted. */
export function listAssets(folder: string): string[] {
  return readdirSync(join(root, folder)).sort()
}

/** Starts a thread; see `StartThread`. */
export function startThread(name: string, data: unknown, resourceLimits: ResourceLimits = {}): Worker {
  return new Worker(join(root, 'server', `${name}.ts`), { workerData: data, resourceLimits })
}

/** The folders of server/ that an export is made by: export itself, and all that it may import. */
const engineFolders = ['base', 'tenancy', 'web', 'export']

/** Names this build of the export engine, its dependencies included: what another one made is not handed out as its own. */
export function describeEngine(): string {
  const hash = createHash('sha256').update(readAsset('package.json'))
  for (const name of listSources()) hash.update(`\n${name}\n`).update(readFileSync(join(root, 'server', name)))
  return hash.digest('hex')
}

/** None where the sources are packed in a binary: there every build has a version of its own. */
function listSources(): string[] {
  return engineFolders.flatMap(folder => {
    try {
      const names = readdirSync(join(root, 'server', folder), { recursive: true, encoding: 'utf8' })
      return names
        .filter(name => name.endsWith('.ts'))
        .sort()
        .map(name => `${folder}/${name}`)
    } catch {
      return []
    }
  })
}
