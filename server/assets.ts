import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname, extname, join, relative } from 'node:path'
import sea from 'node:sea'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { brotliDecompressSync } from 'node:zlib'

/** Whether this is the single binary, which holds the shipped files itself. */
export const isBinary = sea.isSea()

/** The top folder of the shipped files; '' in the single binary. Only this file knows their paths. */
export const shippedFolder = isBinary ? '' : join(import.meta.dirname, '..')
/** The sources are .ts files, and .js files in the package that npm installs. */
const extension = isBinary ? '' : extname(import.meta.filename)

/** Reads the text of a file that ships with Quire, by its path from the top folder. */
export function readAsset(path: string): string {
  return isBinary ? sea.getAsset(path, 'utf8') : readFileSync(join(shippedFolder, path), 'utf8')
}

/** Reads the bytes of a file that only the single binary has. There, such files are compressed, see `packedAssets`. */
export function readPackedBytes(path: string): Buffer {
  return brotliDecompressSync(new Uint8Array(sea.getRawAsset(path)))
}

/** Lists the names in a folder that ships with Quire, sorted. */
export function listAssets(folder: string): string[] {
  if (!isBinary) return readdirSync(join(shippedFolder, folder)).sort()
  const inside = sea.getAssetKeys().filter(path => path.startsWith(`${folder}/`))
  const names = inside.map(path => path.slice(folder.length + 1).split('/', 1)[0] as string)
  return [...new Set(names)].sort()
}

/** Starts a thread; see `StartThread`. */
export function startThread(name: string, data: unknown, resourceLimits: ResourceLimits = {}): Worker {
  const options = { workerData: data, resourceLimits }
  if (isBinary) return new Worker(readPackedBytes(threadAsset(name)).toString(), { ...options, eval: true })
  return new Worker(join(shippedFolder, 'server', `${name}${extension}`), options)
}

/** The argument that makes the single binary do the work of a process that it starts itself. The name of the process follows. */
export const processArgument = '--quire-process'

/** The programs that Quire starts itself, by the paths of their files relative to server/, without `.ts`; main.ts loads them in the binary. */
export type OwnProcess = 'workers/export-process' | 'agent/session/relay' | 'agent/session/demo-agent'

/**
 * Tells how a program of Quire is started.
 *
 * @returns the command, and the files that a program without imports needs besides the system's.
 */
export function describeProgram(name: OwnProcess): { command: [string, ...string[]]; files: string[] } {
  if (isBinary) return { command: [process.execPath, processArgument, name], files: [process.execPath] }
  const file = join(shippedFolder, 'server', `${name}${extension}`)
  // Node reads in package.json that the file is a module.
  return { command: [process.execPath, file], files: [process.execPath, file, join(shippedFolder, 'package.json')] }
}

/**
 * Starts a program of Quire as the leader of a new process group, with a channel for messages. Its standard error is a pipe.
 *
 * @param given the arguments of the program
 * @param env the whole environment of the process
 */
export function startProcess(name: OwnProcess, given: readonly string[], env: Record<string, string>): ChildProcess {
  const compiled = getCompileCacheDir()
  const cache = compiled !== undefined && { NODE_COMPILE_CACHE: dirname(compiled) }
  const [program, ...args] = describeProgram(name).command
  return spawn(program, [...args, ...given], {
    env: { ...env, ...cache },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

/** The path in the single binary of the script of a thread, compressed with Brotli: CommonJS, because only such a text can start a thread. */
export function threadAsset(name: string): string {
  return `threads/${name}.cjs.br`
}

/** What is only in the single binary, made when it was built. */
export const packedAssets = {
  /** The addon of better-sqlite3, compressed with Brotli. */
  addon: 'better_sqlite3.node.br',
  /** The SHA-256 of the addon, in hexadecimal digits. */
  addonHash: 'better_sqlite3.sha256',
  /** The answer of `describeEngine`. */
  engine: 'engine',
  /** A `BuildFacts` as JSON. */
  build: 'build.json',
  /** The components, see `server/commands/licenses/`, as JSON, compressed with Brotli. */
  licenses: 'licenses.json.br',
}

/** What the single binary knows about its build. */
export interface BuildFacts {
  /** The commit that was checked out; null when files differed from it. */
  commit: string | null
  /** Such as `linux-x64`. */
  target: string
  /** The key of minisign that signs the releases that may replace this program; null = none was given. */
  publicKey: string | null
}

/** The folders of server/ with the files of the export engine and of its imports. */
const engineFolders = ['base', 'in-page', 'tenancy', 'web', 'products', 'export']

/** Lists the source files of the export engine, by their paths from the top folder. */
export function listEngineFiles(): string[] {
  const sources = engineFolders.flatMap(folder =>
    readdirSync(join(shippedFolder, 'server', folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(shippedFolder, join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
  )
  return ['package.json', `generated/in-page${extension}`, ...sources.sort()]
}

/** Identifies this build of the export engine and its dependencies; archives of another build are not reused. */
export function describeEngine(): string {
  if (isBinary) return readAsset(packedAssets.engine)
  const hash = createHash('sha256')
  for (const path of listEngineFiles()) hash.update(`\n${path}\n`).update(readAsset(path))
  return hash.digest('hex')
}
