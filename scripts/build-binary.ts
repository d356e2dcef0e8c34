import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { describeBytes } from '../server/base/format-bytes.ts'
import { formatMinisignKey, parseMinisignKey } from '../server/base/minisign.ts'
import { OperatorError } from '../server/base/operator-error.ts'
import { buildBinary } from './build-binary/build-binary.ts'
import { targets, thisMachine } from './build-binary/targets.ts'
import { runProgram } from './run-program.ts'

const root = resolve(import.meta.dirname, '..')
const names = targets.map(({ name }) => name)

interface Flags {
  target: string[]
  output: string
  publicKey?: string
  json?: boolean
}

const program = new Command('npm run build:binary --')
  .description('Build Quire as one file that needs no Node.')
  .addOption(
    new Option('--target <name...>', 'systems to build for')
      .env('QUIRE_BUILD_TARGET')
      .choices(names)
      .default([thisMachine], 'this machine'),
  )
  .addOption(
    new Option('--output <folder>', 'where the programs are written').env('QUIRE_BUILD_OUTPUT').default('binary'),
  )
  .addOption(
    new Option('--public-key <key>', 'key of minisign whose releases quire self-update trusts').env(
      'QUIRE_RELEASE_PUBLIC_KEY',
    ),
  )
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    `
The Node of another system comes from the npm registry, and must have the bytes that package-lock.json names. The same sources
give the same bytes.

Examples:
  npm run build:binary
  npm run build:binary -- --target linux-x64 linux-arm64 --output /tmp/quire`,
  )
  .exitOverride()
  .action(async ({ target, output, publicKey, json }: Flags) => {
    const built = []
    const key = publicKey === undefined ? null : formatMinisignKey(parseMinisignKey(publicKey, '--public-key'))
    for (const name of target) {
      const found = targets.find(known => known.name === name)
      if (!found) throw new OperatorError(`There is no Node for ${name}. Choose --target: ${names.join(', ')}.`, 2)
      const options = { root, target: found, folder: resolve(output), publicKey: key }
      const { components: _, ...facts } = await buildBinary(options)
      built.push(facts)
    }
    if (json) console.log(JSON.stringify(built, undefined, 2))
    else for (const { file, sizeBytes, sha256 } of built) console.log(`${file}: ${describeBytes(sizeBytes)}, ${sha256}`)
  })

await runProgram(program)
