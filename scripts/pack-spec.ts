import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Command, Option } from 'commander'
import { buildPackage } from './package/build.ts'
import { runProgram } from './run-program.ts'

const root = join(import.meta.dirname, '..')

const program = new Command('npm run pack:spec --')
  .description('Pack quire-spec, the package for integrators: document, types, client, server stub and examples.')
  .addOption(new Option('-o, --output <folder>', 'folder of the tarball').env('QUIRE_PACK_OUTPUT').default('.'))
  .addHelpText('after', '\nExamples:\n  npm run pack:spec\n  npm run pack:spec -- --output dist\n')
  .exitOverride()
  .action(async ({ output }: { output: string }) => {
    const work = await mkdtemp(join(tmpdir(), 'quire-spec-'))
    try {
      const folder = join(work, 'quire-spec')
      await buildPackage(root, folder)
      console.log(await pack(folder, resolve(output)))
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  })

/** Returns the path of the tarball. */
async function pack(folder: string, output: string): Promise<string> {
  const args = ['pack', folder, '--pack-destination', output, '--json', '--ignore-scripts', '--loglevel=error']
  // npm sets its path in the environment of its scripts; otherwise the PATH is used.
  const [command, ...prefix] = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']
  const { stdout } = await promisify(execFile)(command, [...prefix, ...args])
  const packed: unknown = JSON.parse(stdout)
  // npm 12 writes an object by name instead of a list.
  const [{ filename }] = Object.values(packed as object) as [{ filename: string }]
  return join(output, filename)
}

await runProgram(program)
