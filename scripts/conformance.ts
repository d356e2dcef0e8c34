// Runs the conformance kit of the package for integrators from its sources: npm run conformance -- --help
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../spec/package/conformance/command.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../generated/openapi.json'), 'utf8'))
process.exitCode = await runCommand(document, {
  args: process.argv.slice(2),
  env: process.env,
  print: text => process.stdout.write(text),
  printError: text => process.stderr.write(text),
})
