#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { readAsset } from './assets.ts'
import { agentJobsCommand } from './commands/agent-jobs.ts'
import { CommandError } from './commands/command-error.ts'
import { demoCommand } from './commands/demo.ts'
import { exportCommand } from './commands/export.ts'
import { exportsCommand } from './commands/exports.ts'
import { keysCommand } from './commands/keys.ts'
import { orgsCommand } from './commands/orgs.ts'
import { projectsCommand } from './commands/projects.ts'
import { serveCommand } from './commands/serve.ts'
import { sitesCommand } from './commands/sites.ts'
import { visitsCommand } from './commands/visits.ts'
import { DatabaseError } from './store/database.ts'
import { SecretError } from './store/secret-file.ts'

const program = new Command('quire')
  .description('The administration API of a documentation platform.')
  .version(JSON.parse(readAsset('package.json')).version)
  .addHelpText(
    'after',
    '\nEvery setting has an environment variable, shown beside its flag. Exit codes: 0 done, 1 failed, 2 wrong usage.',
  )
  .showHelpAfterError('(add --help for the usage and examples)')

for (const command of [
  serveCommand(),
  demoCommand(),
  exportCommand(),
  exportsCommand(),
  visitsCommand(),
  agentJobsCommand(),
  orgsCommand(),
  projectsCommand(),
  sitesCommand(),
  keysCommand(),
]) {
  program.addCommand(command)
}

exitInsteadOfCommander(program)
try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = explain(error)
}

/** Makes commander throw instead of ending the process with its own exit codes. */
function exitInsteadOfCommander(command: Command): void {
  command.exitOverride()
  command.configureOutput({ outputError: (text, write) => write(text) })
  for (const child of command.commands) exitInsteadOfCommander(child)
}

/** Says in one line what went wrong, unless that was done; the exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof CommandError) {
    console.error(error.message)
    return error.exitCode
  }
  if (error instanceof DatabaseError) {
    console.error(error.message)
    return 1
  }
  const { code } = error as { code?: unknown }
  if (String(code).startsWith('SQLITE_') || error instanceof SecretError) {
    console.error(`The data folder cannot be used: ${(error as Error).message}. Check the disk, or restore a backup.`)
    return 1
  }
  console.error(error)
  return 1
}
