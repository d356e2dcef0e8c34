#!/usr/bin/env node
// The command of the package. It is copied to the top folder of the package, beside the compiled modules.
import { runCommand } from './esm/spec/package/report/command.js'

process.exitCode = await runCommand({
  args: process.argv.slice(2),
  env: process.env,
  print: text => process.stdout.write(text),
  printError: text => process.stderr.write(text),
})
