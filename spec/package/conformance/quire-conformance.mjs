#!/usr/bin/env node
// The command of the package. It is copied to the top folder of the package, beside the document and the compiled modules.
import { readFileSync } from 'node:fs'
import { runCommand } from './esm/spec/package/conformance/index.js'

const read = file => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
const terminal = {
  args: process.argv.slice(2),
  env: process.env,
  print: text => process.stdout.write(text),
  printError: text => process.stderr.write(text),
}
process.exitCode = await runCommand(read('openapi.json'), terminal, read('extensions/openapi.json'))
