// Runs the conformance kit of the package for integrators from its sources: npm run conformance -- --help
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../spec/package/conformance/command.ts'

const read = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../generated', file), 'utf8'))
const terminal = {
  args: process.argv.slice(2),
  env: process.env,
  print: (text: string) => process.stdout.write(text),
  printError: (text: string) => process.stderr.write(text),
}
process.exitCode = await runCommand(read('openapi.json'), terminal, read('extensions/openapi.json'))
