import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { type BuildFacts, describeEngine, packedAssets, threadAsset } from '../../server/assets.ts'
import { collectLicenses } from '../../server/commands/licenses/collect-licenses.ts'
import { writtenPages } from '../../server/docs/pages.ts'
import { schemaFolders } from '../../server/store/schema-versions.ts'
import type { BundledScripts } from './bundle-scripts.ts'
import type { NodePackage } from './node-package.ts'
import type { Target } from './targets.ts'

/** The threads that the program starts; a test compares the list with the sources. */
export const threads: readonly string[] = [
  'export/pages/page-worker',
  'export/search/index-worker',
  'workers/compare-worker',
  'workers/count-visitors-worker',
  'workers/export-watch',
  'workers/follow-logs-worker',
  'workers/probe-worker',
  'workers/prune-visitors-worker',
  'workers/receive-visits-worker',
  'workers/visitor-keys-worker',
]

/** Where `start.cjs` finds the scripts of the program. */
export const packedScripts = {
  scripts: 'scripts',
  /** What V8 compiled of them. */
  compiled: 'compiled',
  /** Only while the binary is built: the path of the folder where the compiled code is written. */
  keepIn: 'keep-in',
} as const

const files = [
  'package.json',
  'generated/openapi.json',
  'generated/openapi.yaml',
  'generated/extensions/openapi.json',
  'server/store/site-cache/site-cache.sql',
  ...writtenPages.map(({ file }) => file),
]

export interface PackedFilesOptions {
  root: string
  target: Target
  node: NodePackage
  main: BundledScripts
  threads: ReadonlyMap<string, BundledScripts>
  build: BuildFacts
  /** A folder for what is made here. */
  scratch: string
}

/** Lists the files that the binary holds: their names for `readAsset`, and where they are now. */
export async function listPackedFiles(options: PackedFilesOptions): Promise<Record<string, string>> {
  const { root, target, node, main, scratch } = options
  const packed: Record<string, string> = {}
  for (const file of files) packed[file] = join(root, file)
  for (const folder of Object.values(schemaFolders)) {
    for (const name of await readdir(join(root, folder))) packed[`${folder}/${name}`] = join(root, folder, name)
  }
  const write = async (name: string, content: string | Buffer) => {
    const file = join(scratch, 'packed', name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
    packed[name] = file
  }
  for (const { name, code } of main.scripts) await write(`${packedScripts.scripts}/${name}`, asFunction(code))
  for (const [name, { scripts }] of options.threads) {
    await write(threadAsset(name), brotliCompressSync(scripts[0]?.code ?? ''))
  }
  const addon = await readFile(join(root, 'node_modules/better-sqlite3', target.addon))
  await write(packedAssets.addon, brotliCompressSync(addon))
  await write(packedAssets.addonHash, createHash('sha256').update(addon).digest('hex'))
  await write(packedAssets.engine, describeEngine())
  await write(packedAssets.build, JSON.stringify(options.build))
  const inside = [main, ...options.threads.values()].flatMap(script => script.files)
  const licenses = await collectLicenses(root, {
    packages: listPackageFolders(root, inside).map(folder => join(root, folder)),
    node,
  })
  await write(packedAssets.licenses, brotliCompressSync(JSON.stringify(licenses)))
  // The order would otherwise be that of the file system.
  return Object.fromEntries(Object.entries(packed).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Node calls the text of a CommonJS module with these values. */
function asFunction(code: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${code}\n})`
}

/** The folders of the packages that files belong to, from the top folder, sorted. */
function listPackageFolders(root: string, paths: readonly string[]): string[] {
  const pattern = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/
  const folders = paths.map(path => pattern.exec(relative(root, path).replaceAll('\\', '/'))?.[0])
  return [...new Set(folders.filter(folder => folder !== undefined))].sort()
}
