import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'

// Only this file knows the paths of shipped files.
const root = join(import.meta.dirname, '..')
/** The sources are .ts files, and .js files in the package that npm installs. */
const extension = extname(import.meta.filename)

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
  return new Worker(join(root, 'server', `${name}${extension}`), { workerData: data, resourceLimits })
}

/** The folders of server/ with the files of the export engine and of its imports. */
const engineFolders = ['base', 'in-page', 'tenancy', 'web', 'products', 'export']

/** Lists the source files of the export engine, by their paths from the top folder. */
export function listEngineFiles(): string[] {
  const sources = engineFolders.flatMap(folder =>
    readdirSync(join(root, 'server', folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
  )
  return ['package.json', `generated/in-page${extension}`, ...sources.sort()]
}

/** Identifies this build of the export engine and its dependencies; archives of another build are not reused. */
export function describeEngine(): string {
  const hash = createHash('sha256')
  for (const path of listEngineFiles()) hash.update(`\n${path}\n`).update(readAsset(path))
  return hash.digest('hex')
}
