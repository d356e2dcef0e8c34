import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../server/base/operator-error.ts'
import { readSourceCommit } from '../package/source-commit.ts'
import { bundleScript } from './bundle-scripts.ts'
import { findNodePackage } from './node-package.ts'
import { listPackedFiles, threads } from './packed-files.ts'
import { isElf, stripElf } from './strip-elf.ts'
import { type Target, thisMachine } from './targets.ts'

export interface BinaryOptions {
  /** The top folder of the repository, with generated/ up to date. */
  root: string
  target: Target
  /** Is created if it is missing. */
  folder: string
}

export interface BuiltBinary {
  target: string
  file: string
  sizeBytes: number
  sha256: string
}

/**
 * Builds the single binary for a system: the Node of the lock file with all scripts and files of Quire in it. The same sources give
 * the same bytes.
 *
 * @throws {OperatorError} when Node cannot inject the files.
 */
export async function buildBinary({ root, target, folder }: BinaryOptions): Promise<BuiltBinary> {
  await mkdir(folder, { recursive: true })
  const scratch = await mkdtemp(join(folder, 'quire-build-'))
  try {
    const node = await findNodePackage(root, target, scratch)
    const main = await bundleScript(root, 'server/main.ts', 'esm', target)
    const bundled = new Map<string, Awaited<ReturnType<typeof bundleScript>>>()
    for (const name of threads) bundled.set(name, await bundleScript(root, `server/${name}.ts`, 'cjs', target))
    const build = { commit: await findCommit(root), target: target.name }
    const assets = await listPackedFiles({ root, target, node, main, threads: bundled, build, scratch })
    await writeFile(join(scratch, mainScript), main.code)
    await writeFile(join(scratch, 'node'), await readNode(join(node.folder, target.nodeProgram)), { mode: 0o755 })
    await inject(scratch, assets, target.name === thisMachine)
    const file = join(folder, target.program)
    await rename(join(scratch, 'quire'), file)
    const bytes = await readFile(file)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { target: target.name, file, sizeBytes: bytes.length, sha256 }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** V8 would otherwise write other bytes each time. Unlike `--hash-seed`, this flag does not make V8 reject them later. */
const fixedSeed = ['--random-seed=1']

/** The binary contains this path, so it must not depend on the folder of the build. */
const mainScript = 'main.mjs'

async function readNode(file: string): Promise<Buffer> {
  const program = await readFile(file)
  return isElf(program) ? stripElf(program) : program
}

/**
 * @param isThisMachine whether the binary will run on this system; then it also contains what V8 compiles from the script, so that it
 *   starts faster and takes less memory.
 */
async function inject(scratch: string, assets: Record<string, string>, isThisMachine: boolean): Promise<void> {
  const settings = {
    main: mainScript,
    mainFormat: 'module',
    executable: 'node',
    output: 'quire',
    disableExperimentalSEAWarning: true,
    // V8 of this machine compiles for no other.
    useCodeCache: isThisMachine,
    // express-openapi-validator uses url.parse.
    execArgv: ['--disable-warning=DEP0169'],
    execArgvExtension: 'env',
    assets,
  }
  await writeFile(join(scratch, 'sea.json'), JSON.stringify(settings))
  await promisify(execFile)(process.execPath, [...fixedSeed, '--build-sea', 'sea.json'], { cwd: scratch }).catch(
    error => {
      throw new OperatorError(`Node cannot build the binary: ${String(error.stderr).trim()}`, 1, { cause: error })
    },
  )
}

/** The commit is named only if it says what is inside. */
async function findCommit(root: string): Promise<string | null> {
  return readSourceCommit(root).then(
    ({ commit }) => commit,
    () => null,
  )
}
