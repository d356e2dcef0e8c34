import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../server/base/operator-error.ts'
import { releaseFiles } from '../../server/base/release-sums.ts'
import { buildBinary } from '../build-binary/build-binary.ts'
import { type Target, thisMachine } from '../build-binary/targets.ts'
import { buildPackage } from '../package/build.ts'
import { buildProduct } from '../package/build-product.ts'
import { packFolder } from '../package/pack-folder.ts'
import { describeBuild } from '../package/provenance.ts'
import { buildImages, isOfImage } from './build-images.ts'
import { type LockedPackages, listLocked, type ReleaseComponent, writeComponents } from './components.ts'
import { packCharts } from './pack-chart.ts'
import type { ReleaseSource } from './source.ts'
import { hashFile } from './sums.ts'

export interface ReleaseOptions {
  targets: readonly Target[]
  /** Continue without a target whose Node the registry does not have. */
  canSkipTargets: boolean
  /** The line of the key that signs the release; the binaries trust it. */
  publicKey: string
  /** Exists, and is empty. */
  output: string
  /** Also the images, on another base if one is named. */
  images?: { base?: string | undefined } | undefined
}

/** What a release lacks. */
export interface ReleaseGaps {
  /** Why a target was not built, by its name. */
  notBuilt: Record<string, string>
  /** The targets whose programs this machine cannot run. */
  notRun: string[]
}

/** Writes all files of a release but its signed list: programs, tarballs, chart, their components and where they come from. */
export async function makeRelease(source: ReleaseSource, options: ReleaseOptions): Promise<ReleaseGaps> {
  const { root, version, committedAt } = source
  const { output, publicKey, images } = options
  const { packages }: { packages: LockedPackages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const contents = new Map<string, readonly ReleaseComponent[]>()
  const describe: Describe = async (file, components) => {
    contents.set(basename(file), components)
    const described = { name: basename(file), version, sha256: await hashFile(file), components }
    await writeFile(`${file}.cdx.json`, writeComponents(described, packages, committedAt))
  }
  const gaps = await buildBinaries(source, options, describe)
  await buildProduct(root, join(root, 'dist'))
  const product = await packFolder(root, output)
  const { dependencies = {}, optionalDependencies = {} } = packages[''] ?? {}
  await describe(product.file, listLocked(packages, Object.keys({ ...dependencies, ...optionalDependencies })))
  const spec = await packSpec(root, output)
  await describe(spec, listLocked(packages, ['openapi-fetch']))
  for (const { file, images } of await packCharts(source, output)) await describe(file, images)
  await writeFile(
    join(output, releaseFiles.publicKey),
    `untrusted comment: the key of this release; compare it with the one that you know\n${publicKey}\n`,
  )
  await writeProvenance(source, output, 'quire')
  if (images === undefined) return gaps
  // They have a statement of their own, because the other files can be built again without them.
  const binary = contents.get('quire-linux-x64')
  if (binary === undefined) throw new OperatorError('The images hold the binary for linux-x64. Name it with --target.')
  const built = await buildImages(source, output, images.base)
  for (const { file, packages } of built) await describe(file, [...binary, ...packages])
  await writeProvenance(source, output, 'quire-images')
  return gaps
}

type Describe = (file: string, components: readonly ReleaseComponent[]) => Promise<void>

async function buildBinaries(
  { root, commit, version }: ReleaseSource,
  { targets, canSkipTargets, publicKey, output }: ReleaseOptions,
  describe: Describe,
): Promise<ReleaseGaps> {
  const gaps: ReleaseGaps = { notBuilt: {}, notRun: [] }
  for (const target of targets) {
    console.error(`Building ${target.program} ...`)
    try {
      const { file, components } = await buildBinary({ root, target, folder: output, commit, publicKey })
      await describe(file, components)
    } catch (error) {
      if (!canSkipTargets) throw error
      const { message, stderr } = error as Error & { stderr?: string }
      gaps.notBuilt[target.name] = (stderr || message).trim().split('\n')[0] ?? ''
      continue
    }
    if (target.name === thisMachine) await checkVersion(join(output, target.program), version)
    else gaps.notRun.push(target.name)
  }
  return gaps
}

async function checkVersion(program: string, version: string): Promise<void> {
  const { stdout } = await promisify(execFile)(program, ['version', '--json'])
  if (JSON.parse(stdout).version !== version) throw new OperatorError(`${program} is not version ${version}: ${stdout}`)
}

async function packSpec(root: string, output: string): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'quire-spec-'))
  try {
    const folder = join(work, 'quire-spec')
    await buildPackage(root, folder)
    return (await packFolder(folder, output)).file
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** One statement for the images, or for all other files. Without a commit, nothing can be said. */
async function writeProvenance(
  { commit, repository, version }: ReleaseSource,
  output: string,
  name: 'quire' | 'quire-images',
): Promise<void> {
  if (commit === null) return
  const subject = []
  const names = (await readdir(output)).filter(file => isOfImage(file) === (name === 'quire-images'))
  for (const name of names.sort()) {
    subject.push({ name, digest: { sha256: await hashFile(join(output, name)) } })
  }
  const statement = describeBuild({ kind: 'release', command: 'npm run release', subject, commit, repository })
  await writeFile(join(output, `${name}-${version}.intoto.json`), `${JSON.stringify(statement, undefined, 2)}\n`)
}
