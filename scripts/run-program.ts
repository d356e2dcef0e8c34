import { type Command, CommanderError } from 'commander'
import { OperatorError } from '../server/base/operator-error.ts'
import { readBooleanVariables } from '../server/flags/setting.ts'

/** Runs a program that has called `exitOverride`. Exit codes: 0 done, 1 failed, 2 wrong usage. */
export async function runProgram(program: Command): Promise<void> {
  program.hook('preAction', (_, command) => readBooleanVariables(command))
  // The reader, such as `head`, may close the pipe early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
  try {
    await program.parseAsync()
  } catch (error) {
    // commander has already printed the message. Its exit code for a wrong flag is 1.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
    else {
      console.error((error as Error).message)
      process.exitCode = error instanceof OperatorError ? error.exitCode : 1
    }
  }
}
