import { accessSync, constants, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Command, readCommand, UsageError, writeHelp } from './options.ts'
import { writeHtml } from './report-html.ts'
import { writeText } from './report-text.ts'
import { type RunOptions, runConformance } from './run.ts'
import { RunStopped } from './session.ts'

/** What the command needs of its process. */
export interface Terminal {
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  print(text: string): void
  printError(text: string): void
}

/**
 * Runs `quire-conformance`.
 *
 * @param document the OpenAPI document, parsed
 * @param extensions the second document, for `--extensions`
 * @returns the exit code: 0 all checks passed, 1 a check failed or the server cannot be checked, 2 wrong usage
 */
export async function runCommand(
  document: object,
  { args, env, print, printError }: Terminal,
  extensions?: object,
): Promise<number> {
  try {
    const command = readCommand(args, env)
    if (!command) {
      print(writeHelp())
      return 0
    }
    if (command.hasExtensions && !extensions) throw new UsageError('--extensions: the second document is missing.')
    return await check({ document, extensions: command.hasExtensions ? extensions : undefined }, command, print)
  } catch (error) {
    if (error instanceof UsageError) {
      printError(`${error.message}\n`)
      return 2
    }
    if (!(error instanceof RunStopped)) throw error
    printError(`${error.message}\n`)
    return 1
  }
}

async function check(
  documents: Pick<RunOptions, 'document' | 'extensions'>,
  command: Command,
  print: Terminal['print'],
): Promise<number> {
  const { settings, report: file, isJson } = command
  // Now, because a run takes long.
  if (file !== undefined) checkReportFile(file)
  const report = await runConformance({ ...documents, settings })
  print(isJson ? `${JSON.stringify(report, undefined, 2)}\n` : writeText(report))
  if (file !== undefined) writeReport(file, writeHtml(report))
  return report.failures.length > 0 ? 1 : 0
}

function checkReportFile(file: string): void {
  const find = (path: string) => statSync(path, { throwIfNoEntry: false })
  const folder = dirname(resolve(file))
  try {
    if (/[\\/]$/.test(file) || find(resolve(file))?.isDirectory()) {
      throw new UsageError(`--report: ${file || 'the value'} is a folder. Name a file.`)
    }
    if (!find(folder)?.isDirectory()) throw new UsageError(`--report: the folder ${dirname(file)} does not exist.`)
    accessSync(find(resolve(file)) ? resolve(file) : folder, constants.W_OK)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(
      `--report: ${file} cannot be written (${(error as NodeJS.ErrnoException).code}). Name another file.`,
    )
  }
}

function writeReport(file: string, html: string): void {
  try {
    writeFileSync(file, html)
  } catch (error) {
    throw new RunStopped(`The report could not be written: ${(error as Error).message}.`)
  }
}
