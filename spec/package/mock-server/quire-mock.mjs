#!/usr/bin/env node
// The command of the package. It is copied to the top folder of the package, beside the documents and the compiled modules.
import { fileURLToPath } from 'node:url'
import { runCommand } from './esm/spec/package/mock-server/command.js'

process.exitCode = await runCommand({
  args: process.argv.slice(2),
  env: process.env,
  documents: fileURLToPath(new URL('.', import.meta.url)),
  print: text => process.stdout.write(text),
  printError: text => process.stderr.write(text),
})
