import { Command, CommanderError } from 'commander'
import { isBinary, type OwnProcess, processArgument, readAsset } from './assets.ts'
import { keepCompiledCode } from './base/compile-cache.ts'
import { isDiskFull } from './base/disk-full.ts'
import { escapeControlsInLines } from './base/escape-controls.ts'
import { OperatorError } from './base/operator-error.ts'
import { createCommandLoaders } from './commands/command-loaders.ts'
import { readBooleanVariables, visibleOptions } from './flags/setting.ts'

// The single binary contains its compiled code.
if (!isBinary) keepCompiledCode()
const program = new Command('quire')
  .description('The administration API of a documentation platform.')
  .version(JSON.parse(readAsset('package.json')).version)
  .addHelpText(
    'after',
    '\nMost flags also have an environment variable, shown in --help. Exit codes: 0 done, 1 failed, 2 wrong usage.',
  )
  // A command may have options with the names of those of the program, such as --version.
  .enablePositionalOptions()
  .commandsGroup('About this program:')
  .helpCommand('help [command]', 'print the help of a command')
  .showHelpAfterError('(add --help for the usage and examples)')
  .hook('preAction', (_, command) => readBooleanVariables(command))

const commands = createCommandLoaders(program)

// The single binary runs this file as CommonJS, which has no `await` at the top level. Without it, Node would not notice that a
// command waits for something that never comes.
const endEarly = () => {
  process.exitCode = 13
}
const processes: Record<OwnProcess, () => Promise<unknown>> = {
  'workers/export-process': () => import('./workers/export-process.ts'),
  'agent/session/relay': () => import('./agent/session/relay.ts'),
  'agent/session/demo-agent': () => import('./agent/session/demo-agent.ts'),
}
if (isBinary && process.argv[2] === processArgument) void processes[process.argv[3] as OwnProcess]()
else {
  process.once('beforeExit', endEarly)
  void run().finally(() => process.off('beforeExit', endEarly))
}

async function run(): Promise<void> {
  const called = commands.get(process.argv[2] ?? '')
  for (const load of called ? [called] : commands.values()) program.addCommand(await load())
  // The reader, such as `head`, may close the pipe early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
  exitInsteadOfCommander(program)
  try {
    await program.parseAsync()
  } catch (error) {
    process.exitCode = explain(error)
  }
}

/** Makes commander throw instead of ending the process with its own exit codes. */
function exitInsteadOfCommander(command: Command): void {
  command.exitOverride()
  // Commander leaves long descriptions on one line beside long names.
  command.configureHelp({ minWidthToWrap: 20, visibleOptions })
  command.configureOutput({ outputError: (text, write) => write(escapeControlsInLines(suggestCommand(text, command))) })
  for (const child of command.commands) exitInsteadOfCommander(child)
}

/** The words of other programs for the commands of this one, in the order of preference. */
const synonyms = new Map<string, readonly string[]>(
  Object.entries({
    add: ['create', 'invite'],
    new: ['create'],
    remove: ['delete', 'revoke'],
    rm: ['delete', 'revoke'],
    del: ['delete', 'revoke'],
    ls: ['list'],
    show: ['list'],
    get: ['list'],
    status: ['list'],
    start: ['serve'],
    run: ['serve'],
    web: ['serve'],
  }),
)

/**
 * Adds the command of the same meaning to the message of an unknown one, because commander suggests only similar spellings. Adds
 * the help to the message of a missing argument.
 */
function suggestCommand(text: string, command: Command): string {
  if (text.startsWith('error: missing required argument')) return `${text}See: ${nameCommand(command)} --help\n`
  const { commands } = command
  const unknown = /^error: unknown command '([^']+)'\n/.exec(text)?.[1]
  const meant = synonyms.get(unknown ?? '')?.find(name => commands.some(command => command.name() === name))
  return meant === undefined ? text : `${text}(Did you mean ${meant}?)\n`
}

/** Such as npx quire agent-jobs show. */
function nameCommand(command: Command): string {
  return command.parent ? `${nameCommand(command.parent)} ${command.name()}` : 'npx quire'
}

/** Prints the error in one line, unless commander has printed it, and returns the exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof OperatorError) {
    console.error(escapeControlsInLines(error.message))
    return error.exitCode
  }
  const { code, message } = error as { code?: unknown; message?: string }
  if (code === 'SQLITE_BUSY') {
    console.error('Another process keeps the database locked. Wait until it has finished, and run the command again.')
    return 1
  }
  if (isDiskFull(error)) {
    console.error('The disk is full. Free some space, and run the command again.')
    return 1
  }
  if (String(code).startsWith('SQLITE_')) {
    console.error(`The data folder cannot be used: ${message}. Check the disk, or restore a backup.`)
    return 1
  }
  console.error(error)
  return 1
}
