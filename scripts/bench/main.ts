// npm run bench -- http | dashboard | export | host | receive | start | visitors | visit-stores
import { Command, CommanderError } from 'commander'
import { OperatorError } from '../../server/base/operator-error.ts'
import { dashboardCommand } from './dashboard.ts'
import { exportCommand } from './export.ts'
import { hostCommand } from './host.ts'
import { httpCommand } from './http.ts'
import { receiveCommand } from './receive.ts'
import { startCommand } from './start.ts'
import { visitStoresCommand } from './visit-stores.ts'
import { visitorsCommand } from './visitors.ts'

const program = new Command('npm run bench --')
  .description('Compare Quire with its peers, in one run on one machine.')
  .addHelpText(
    'after',
    `
Examples:
  npm run bench -- http
  npm run bench -- dashboard
  npm run bench -- export --list
  npm run bench -- export --site python --peer wget
  npm run bench -- host
  npm run bench -- receive
  npm run bench -- start
  npm run bench -- visitors --lines 1000000 --visits 1000000
  npm run bench -- visit-stores --database postgres://quire@127.0.0.1/bench
  npm run bench -- http --help

The results are in scripts/bench/RESULTS.md. Exit codes: 0 done, 1 failed or missed a goal, 2 wrong usage.`,
  )
  .exitOverride()
for (const command of [
  httpCommand(),
  dashboardCommand(),
  exportCommand(),
  hostCommand(),
  receiveCommand(),
  startCommand(),
  visitorsCommand(),
  visitStoresCommand(),
])
  program.addCommand(command.copyInheritedSettings(program))

// As root, Chromium has no sandbox. The measured programs read this variable.
if (process.getuid?.() === 0) process.env.QUIRE_ALLOW_NO_SANDBOX ??= '1'

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
try {
  await program.parseAsync()
} catch (error) {
  // commander has already printed a message; it uses exit code 1 for a wrong flag.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else {
    console.error(error instanceof OperatorError ? error.message : error)
    process.exitCode = error instanceof OperatorError ? error.exitCode : 1
  }
}
