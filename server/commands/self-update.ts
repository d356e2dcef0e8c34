import { realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { type BuildFacts, isBinary, packedAssets, readAsset } from '../assets.ts'
import { type MinisignKey, parseMinisignKey } from '../base/minisign.ts'
import { OperatorError } from '../base/operator-error.ts'
import { compareVersions, readSignedSums, releaseFiles, type SignedRelease } from '../base/release-sums.ts'
import { readGivenFile } from '../flags/read-given-file.ts'
import { addSettings, type FlagsOf, nonEmpty, type Settings } from '../flags/setting.ts'
import { shared } from '../flags/shared-settings.ts'
import { explainDisk } from './explain-disk.ts'
import { printResult } from './print.ts'
import { openReleaseSource, type ReleaseSource } from './self-update/release-source.ts'
import { checkProgram, replaceProgram } from './self-update/replace-program.ts'

const settings = {
  from: {
    flag: '--from <folder-or-url>',
    env: 'QUIRE_UPDATE_FROM',
    what: 'folder or address with the files of the release',
    mandatory: true,
    read: nonEmpty('a folder or an address'),
  },
  publicKey: {
    flag: '--public-key <key>',
    env: 'QUIRE_RELEASE_PUBLIC_KEY',
    what: 'public key of minisign that signed the release, or a file with it (default: the one that this program was built with)',
    read: nonEmpty('a public key or a file'),
  },
  allowDowngrade: { flag: '--allow-downgrade', what: 'also install a release that is older than this program' },
  check: { flag: '--check', what: 'only say whether there is an update' },
  json: shared.json,
} as const satisfies Settings

type Flags = FlagsOf<typeof settings>

export function selfUpdateCommand(): Command {
  return addSettings(
    new Command('self-update').description('replace this single binary with that of a release, after verifying it'),
    settings,
  )
    .addHelpText(
      'after',
      `
Examples:
  npx quire self-update --from /media/release --check
  npx quire self-update --from https://downloads.example.com/quire/0.2.0

The signature of SHA256SUMS is verified, and then the SHA-256 of the program. The new program must run on this machine. The old one is
kept beside it, with .previous at the end of its name. A server that runs is not restarted. Before you go back to an older version, see
npx quire downgrade.`,
    )
    .action(run)
}

async function run({ from, publicKey, allowDowngrade = false, check = false, json = false }: Flags): Promise<void> {
  if (!isBinary)
    throw new OperatorError(
      'This is not the single binary, so it cannot replace itself. In a clone, update it with git; an installed package, with npm ' +
        'install of the tarball of the release.',
    )
  const build: BuildFacts = JSON.parse(readAsset(packedAssets.build))
  const source = openReleaseSource(from)
  const sums = await source.read(releaseFiles.sums)
  const release = readSignedSums(sums, await source.read(releaseFiles.signature), findKey(publicKey, build))
  const installed: string = JSON.parse(readAsset('package.json')).version
  const order = compareVersions(release.version, installed)
  const program = realpathSync(process.execPath)
  const previous = program.replace(/(?:\.exe)?$/, '.previous$&')
  const facts = { installed, available: release.version, commit: release.commit, program }
  if (order === 0 || check) {
    const words = order > 0 ? 'an update' : order < 0 ? 'a downgrade' : 'the same version'
    const sentence = `Quire ${installed} is installed. The release has ${release.version}: ${words}.`
    printResult(json, { ...facts, isUpdate: order > 0, updated: false, previous: null }, sentence)
    return
  }
  if (order < 0 && !allowDowngrade)
    throw new OperatorError(
      `The release has ${release.version}, which is older than ${installed}. To install it all the same, give --allow-downgrade.`,
    )
  await install(release, { source, name: nameProgram(build), program, previous })
  const sentence = `Quire ${release.version} replaced ${installed} in ${program}. The old program is ${previous}. Restart the server.`
  printResult(json, { ...facts, isUpdate: order > 0, updated: true, previous }, sentence)
}

function nameProgram({ target }: BuildFacts): string {
  return `quire-${target}${target.startsWith('win-') ? '.exe' : ''}`
}

function findKey(given: string | undefined, { publicKey }: BuildFacts): MinisignKey {
  if (given === undefined) {
    if (publicKey === null)
      throw new OperatorError(
        'This program was built without a public key. Give the key of the release with --public-key.',
        2,
      )
    return parseMinisignKey(publicKey, 'The key of this program')
  }
  const isKey = /^RW[\w+/=]{54}$/.test(given)
  return parseMinisignKey(isKey ? given : readGivenFile(given, `The key file ${given}`), given)
}

interface Installation {
  source: ReleaseSource
  name: string
  program: string
  previous: string
}

async function install({ version, files }: SignedRelease, { source, name, program, previous }: Installation) {
  const sha256 = files.get(name)
  if (sha256 === undefined)
    throw new OperatorError(`The release has no ${name}. It has ${[...files.keys()].join(', ')}.`)
  // In the same folder, because a rename across file systems is not atomic.
  const next = join(dirname(program), `.${name}-${version}-${process.pid}${process.platform === 'win32' ? '.exe' : ''}`)
  try {
    if ((await source.copy(name, next)) !== sha256)
      throw new OperatorError(
        `${name} was changed: its SHA-256 does not match ${releaseFiles.sums}. Nothing was replaced.`,
      )
    await checkProgram(next, version)
    await replaceProgram(program, next, previous)
  } catch (error) {
    throw explain(error, program)
  } finally {
    await rm(next, { force: true })
  }
}

function explain(error: unknown, program: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') return explainDisk(error)
  return new OperatorError(`${dirname(program)} cannot be written (${code}). Run the command as its owner.`)
}
