#!/usr/bin/env node
// The command of the package. It is copied to the top folder of the package, beside the document and the compiled modules.
import { readFileSync } from 'node:fs'
import { runCommand } from './esm/spec/package/conformance/index.js'

const document = JSON.parse(readFileSync(new URL('openapi.json', import.meta.url), 'utf8'))
process.exitCode = await runCommand(document, {
  args: process.argv.slice(2),
  env: process.env,
  print: text => process.stdout.write(text),
  printError: text => process.stderr.write(text),
})
