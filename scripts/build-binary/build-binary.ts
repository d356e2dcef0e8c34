import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import { packedAssets } from '../../server/assets.ts'
import { OperatorError } from '../../server/base/operator-error.ts'
import type { Component } from '../../server/commands/licenses/component.ts'
import { readSourceCommit } from '../package/source-commit.ts'
import { bundleScripts } from './bundle-scripts.ts'
import { findNodePackage } from './node-package.ts'
import { listPackedFiles, packedScripts, threads } from './packed-files.ts'
import { serveOnce } from './serve-once.ts'
import { isElf, stripElf } from './strip-elf.ts'
import { type Target, thisMachine } from './targets.ts'

export interface BinaryOptions {
  /** The top folder of the repository, with generated/ up to date. */
  root: string
  target: Target
  /** Is created if it is missing. */
  folder: string
  /** The commit to name; without it, the one that is checked out, if no file differs from it. */
  commit?: string | null
  /** The key of minisign whose releases `quire self-update` trusts. */
  publicKey?: string | null
}

export interface BuiltBinary {
  target: string
  file: string
  sizeBytes: number
  sha256: string
  /** What is inside, without the texts of the licenses. */
  components: BinaryComponent[]
}

export type BinaryComponent = Pick<Component, 'name' | 'version' | 'license'>

/**
 * Builds the single binary for a system: the Node of the lock file with all scripts and files of Quire in it. The same sources give
 * the same bytes.
 *
 * @throws {OperatorError} when Node cannot inject the files.
 */
export async function buildBinary({ root, target, folder, ...options }: BinaryOptions): Promise<BuiltBinary> {
  await mkdir(folder, { recursive: true })
  const scratch = await mkdtemp(join(folder, 'quire-build-'))
  try {
    const node = await findNodePackage(root, target, scratch)
    const main = await bundleScripts(root, 'server/main.ts', target, { isSplit: true })
    const bundled = new Map<string, Awaited<ReturnType<typeof bundleScripts>>>()
    for (const name of threads) bundled.set(name, await bundleScripts(root, `server/${name}.ts`, target))
    const commit = options.commit === undefined ? await findCommit(root) : options.commit
    const build = { commit, target: target.name, publicKey: options.publicKey ?? null }
    const assets = await listPackedFiles({ root, target, node, main, threads: bundled, build, scratch })
    await copyFile(join(import.meta.dirname, 'start.cjs'), join(scratch, startScript))
    await writeFile(join(scratch, 'node'), await readNode(join(node.folder, target.nodeProgram)), { mode: 0o755 })
    // V8 of this machine compiles for no other.
    if (target.name === thisMachine) Object.assign(assets, await keepCompiled(scratch, assets))
    const file = join(folder, target.program)
    await rename(await inject(scratch, assets), file)
    const bytes = await readFile(file)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const components = await readComponents(assets[packedAssets.licenses] ?? '')
    return { target: target.name, file, sizeBytes: bytes.length, sha256, components }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function readComponents(licenses: string): Promise<BinaryComponent[]> {
  const components: Component[] = JSON.parse(brotliDecompressSync(await readFile(licenses)).toString())
  return components.map(({ name, version, license }) => ({ name, version, license }))
}

/** V8 would otherwise write other bytes each time. Unlike `--hash-seed`, this flag does not make V8 reject them later. */
const fixedSeed = ['--random-seed=1']

/**
 * Space for a whole run without garbage collection. A collection forgets functions that have not run for a while, and reuses memory
 * whose old bytes stay in the gaps of compiled code; both depend on the moment.
 */
const heapFlags = { '--initial-heap-size': 2000, '--min-semi-space-size': 256, '--max-semi-space-size': 256 }

/** The binary contains this path, so it must not depend on the folder of the build. */
const startScript = 'start.cjs'

async function readNode(file: string): Promise<Buffer> {
  const program = await readFile(file)
  return isElf(program) ? stripElf(program) : program
}

/**
 * Starts a server of a binary without compiled code, and lists the files with what V8 compiled until its first answer. A binary
 * that contains them starts in half the time.
 */
async function keepCompiled(
  scratch: string,
  assets: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const folder = join(scratch, 'compiled')
  await mkdir(folder)
  const keepIn = join(scratch, 'keep-in')
  const defaultFlags = Object.keys(heapFlags).map(flag => `${flag}=0`)
  await writeFile(keepIn, JSON.stringify({ folder, defaultFlags }))
  const flags = Object.entries(heapFlags).map(([flag, megabytes]) => `${flag}=${megabytes}`)
  const program = await inject(scratch, { ...assets, [packedScripts.keepIn]: keepIn }, [...fixedSeed, ...flags])
  await serveOnce(program, join(scratch, 'data'))
  const names = (await readdir(folder)).sort()
  return Object.fromEntries(names.map(name => [`${packedScripts.compiled}/${name}`, join(folder, name)]))
}

/**
 * Injects the files into Node, and returns the path of the program.
 *
 * @param nodeOptions options that the program always has.
 */
async function inject(
  scratch: string,
  assets: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<string> {
  const settings = {
    main: startScript,
    executable: 'node',
    output: 'quire',
    disableExperimentalSEAWarning: true,
    // express-openapi-validator uses url.parse.
    execArgv: ['--disable-warning=DEP0169', ...nodeOptions],
    execArgvExtension: 'env',
    assets,
  }
  await writeFile(join(scratch, 'sea.json'), JSON.stringify(settings))
  await promisify(execFile)(process.execPath, [...fixedSeed, '--build-sea', 'sea.json'], { cwd: scratch }).catch(
    error => {
      throw new OperatorError(`Node cannot build the binary: ${String(error.stderr).trim()}`, 1, { cause: error })
    },
  )
  return join(scratch, 'quire')
}

/** The commit is named only if it says what is inside. */
async function findCommit(root: string): Promise<string | null> {
  return readSourceCommit(root).then(
    ({ commit }) => commit,
    () => null,
  )
}
