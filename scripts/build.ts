import { join } from 'node:path'
import { Command } from 'commander'
import { buildProduct } from './package/build-product.ts'
import { runProgram } from './run-program.ts'

const root = join(import.meta.dirname, '..')

const program = new Command('npm run build')
  .description(
    'Compile the program to dist/, for the package that npm pack makes. Node runs no TypeScript in node_modules.',
  )
  .addHelpText('after', '\nExample:\n  npm pack\n')
  .exitOverride()
  // Standard output belongs to npm pack --json.
  .action(() => buildProduct(root, join(root, 'dist')))

await runProgram(program)
