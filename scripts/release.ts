import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { makeFolder } from '../server/base/make-folder.ts'
import { formatMinisignKey, type MinisignKey, parseMinisignKey, toMinisignKey } from '../server/base/minisign.ts'
import { OperatorError } from '../server/base/operator-error.ts'
import { releaseFiles } from '../server/base/release-sums.ts'
import { readGivenFile } from '../server/flags/read-given-file.ts'
import { readKeyFile } from '../server/flags/signing-settings.ts'
import { targets } from './build-binary/targets.ts'
import { compareRelease } from './release/compare-release.ts'
import { makeRelease } from './release/make-release.ts'
import { readReleaseSource } from './release/source.ts'
import { listSums, signRelease, verifyRelease } from './release/sums.ts'
import { runProgram } from './run-program.ts'

const root = resolve(import.meta.dirname, '..')
const names = targets.map(({ name }) => name)

interface Flags {
  dryRun?: boolean
  output: string
  target?: string[]
  key?: string
  publicKey?: string
  images?: boolean
  imageBase?: string
  verify?: string
  compare?: string
  json?: boolean
}

const program = new Command('npm run release --')
  .description(
    'Make a release: programs, packages, charts, images, their components and origin, and a signed list of them.',
  )
  .option('--dry-run', 'only warn of what forbids a release, and sign with a throw-away key if none is given')
  .addOption(new Option('--output <folder>', 'empty or missing').env('QUIRE_RELEASE_OUTPUT').default('release'))
  .addOption(
    new Option('--target <name...>', 'systems to build for (default: all whose Node the registry has)')
      .env('QUIRE_RELEASE_TARGET')
      .choices(names),
  )
  .addOption(new Option('--key <file>', 'private Ed25519 key in PEM that signs the release').env('QUIRE_RELEASE_KEY'))
  .option('--images', 'also build the images, with podman; with --compare, compare them too')
  .addOption(
    new Option('--image-base <name>', 'image that they begin with (default: that of the Containerfile)').env(
      'QUIRE_RELEASE_IMAGE_BASE',
    ),
  )
  .option('--verify <folder>', 'only verify a release')
  .option('--compare <folder>', 'verify a release, build it again and compare the bytes')
  .addOption(
    new Option('--public-key <key>', 'key of minisign, or a file with it, for --verify and --compare').env(
      'QUIRE_RELEASE_PUBLIC_KEY',
    ),
  )
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    `
The version is that of package.json, and CHANGELOG.md must have a section for it. Nothing is published. The same commit and key give
the same bytes.

Examples:
  npm run release -- --dry-run --target linux-x64
  npm run release -- --key quire-release.pem
  npm run release -- --verify release --public-key quire-release.pub
  npm run release -- --compare release --public-key quire-release.pub
`,
  )
  .exitOverride()
  .action((flags: Flags) =>
    flags.verify !== undefined
      ? verify(flags.verify, flags)
      : flags.compare !== undefined
        ? compare(flags.compare, flags)
        : make(flags),
  )

async function make(flags: Flags): Promise<void> {
  const { dryRun = false, output, target, key: keyFile, images = false, json } = flags
  const { source, problems } = await readReleaseSource(root)
  const key = findKey(keyFile, dryRun, problems)
  if (!dryRun && problems.length > 0) throw new OperatorError(problems.join('\n'))
  for (const problem of problems) console.error(`Warning: ${problem}`)
  const folder = resolve(output)
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new OperatorError(`${folder} is not empty. Name another folder with --output.`)
  makeFolder(folder)
  const publicKey = formatMinisignKey(toMinisignKey(key))
  const chosen = targets.filter(({ name }) => target?.includes(name) ?? true)
  const gaps = await makeRelease(source, {
    targets: chosen,
    canSkipTargets: target === undefined,
    publicKey,
    output: folder,
    images: readImages(flags),
  })
  await signRelease(folder, source, key)
  const files = Object.fromEntries(await listSums(folder))
  const { version, commit } = source
  if (json)
    return console.log(JSON.stringify({ version, commit, folder, publicKey, files, ...gaps, problems }, undefined, 2))
  for (const name of Object.keys(files)) console.log(join(folder, name))
  for (const [name, reason] of Object.entries(gaps.notBuilt)) console.log(`Not built: ${name}: ${reason}`)
  for (const name of gaps.notRun) console.log(`Not run, because this machine cannot: quire-${name}`)
  if (!images) console.log('The images were not built. Give --images.')
  console.log(`Quire ${version}${dryRun ? ', a dry run' : ''}, signed with the key of ${publicKey}`)
}

function readImages({ images, imageBase }: Flags): { base: string | undefined } | undefined {
  return images ? { base: imageBase } : undefined
}

/** Adds to the problems when a throw-away key takes the place of a missing one. */
function findKey(file: string | undefined, dryRun: boolean, problems: string[]): KeyObject {
  if (file !== undefined) return readKeyFile(file).key.key
  if (!dryRun) throw new OperatorError('Name the private key that signs the release with --key, or give --dry-run.', 2)
  problems.push('No --key was given, so a throw-away key signs. Another run gives other bytes.')
  return generateKeyPairSync('ed25519').privateKey
}

async function verify(folder: string, flags: Flags): Promise<void> {
  const { version, commit, files } = await verifyRelease(resolve(folder), readPublicKey(flags))
  if (flags.json) console.log(JSON.stringify({ version, commit, files: Object.fromEntries(files) }, undefined, 2))
  else
    console.log(`${folder} is Quire ${version} of commit ${commit ?? 'none'}. All ${files.size} files are as signed.`)
}

async function compare(folder: string, flags: Flags): Promise<void> {
  const { source } = await readReleaseSource(root)
  const { files, differences } = await compareRelease(resolve(folder), readPublicKey(flags), source, readImages(flags))
  if (flags.json) console.log(JSON.stringify({ files, differences }, undefined, 2))
  else if (differences.length === 0)
    console.log(`All ${files} files of ${folder} have the same bytes when built again.`)
  if (differences.length > 0) throw new OperatorError(`The build gives other bytes: ${differences.join(', ')}.`)
}

function readPublicKey({ publicKey }: Flags): MinisignKey {
  if (publicKey === undefined)
    throw new OperatorError(
      `Name the public key that you trust with --public-key. ${releaseFiles.publicKey} in the folder only helps to find it.`,
      2,
    )
  const isKey = /^RW[\w+/=]{54}$/.test(publicKey)
  return parseMinisignKey(isKey ? publicKey : readGivenFile(publicKey, `The key file ${publicKey}`), publicKey)
}

await runProgram(program)
