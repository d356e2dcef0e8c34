import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { makeFolder } from '../server/base/make-folder.ts'
import { OperatorError } from '../server/base/operator-error.ts'
import { buildPackage } from './package/build.ts'
import { packFolder } from './package/pack-folder.ts'
import { describeProvenance } from './package/provenance.ts'
import { listComponents } from './package/sbom.ts'
import { readSourceCommit } from './package/source-commit.ts'
import { runProgram } from './run-program.ts'

const root = join(import.meta.dirname, '..')

interface Flags {
  output: string
  sbom?: boolean
  provenance?: boolean
}

const program = new Command('npm run pack:spec --')
  .description('Pack quire-spec, the package for integrators: document, types, client, server stub and examples.')
  .addOption(new Option('-o, --output <folder>', 'folder of the tarball').env('QUIRE_PACK_OUTPUT').default('.'))
  .addOption(
    new Option('--sbom', 'write what is installed with the package beside the tarball (CycloneDX)').env(
      'QUIRE_PACK_SBOM',
    ),
  )
  .addOption(
    new Option('--provenance', 'write the commit of the tarball beside it (in-toto, not signed)').env(
      'QUIRE_PACK_PROVENANCE',
    ),
  )
  .addHelpText(
    'after',
    `
Prints the paths of the files that it writes. To publish with a signed provenance, run npm publish --provenance on the tarball in a
continuous integration that npm trusts.

Examples:
  npm run pack:spec
  npm run pack:spec -- --output dist --sbom --provenance
`,
  )
  .exitOverride()
  .action(run)

async function run({ output, sbom = false, provenance = false }: Flags): Promise<void> {
  try {
    makeFolder(resolve(output))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`${output} is not a folder and cannot be created (${code}). Name another with --output.`)
  }
  const startedAt = new Date()
  const source = provenance ? await readSourceCommit(root) : null
  const work = await mkdtemp(join(tmpdir(), 'quire-spec-'))
  try {
    const folder = join(work, 'quire-spec')
    await buildPackage(root, folder)
    const { file, name, version } = await packFolder(folder, resolve(output))
    console.log(file)
    const beside = async (ending: string, text: string) => {
      const path = file.replace(/\.tgz$/, ending)
      await writeFile(path, text)
      console.log(path)
    }
    if (sbom) await beside('.cdx.json', await listComponents(folder, join(work, 'components', 'quire-spec')))
    if (!source) return
    const tarball = await readFile(file)
    const statement = describeProvenance({ name, version, tarball, ...source, startedAt, finishedAt: new Date() })
    await beside('.intoto.json', `${JSON.stringify(statement, undefined, 2)}\n`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

await runProgram(program)
