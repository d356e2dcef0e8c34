import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { createMock } from '../mock/index.ts'
import { writeMovingLines } from './lines.ts'
import { listen } from './listen.ts'
import { createMovingServer } from './moving.ts'
import { help, type MockCommand, readOptions } from './options.ts'

/** What the command needs of its process. */
export interface Terminal {
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** The folder with openapi.json, openapi.yaml and extensions/openapi.json. */
  documents: string
  print(text: string): void
  printError(text: string): void
}

/**
 * Runs `quire-mock` until a signal ends it.
 *
 * @returns the exit code: 0 stopped, 1 failed, 2 wrong usage
 */
export async function runCommand(terminal: Terminal): Promise<number> {
  const { args, env, print, printError } = terminal
  try {
    const command = readOptions(args, env)
    if (command) await serve(command, terminal)
    else print(help)
    return 0
  } catch (error) {
    printError(`${(error as Error).message}\n`)
    return error instanceof OperatorError ? error.exitCode : 1
  }
}

async function serve(command: MockCommand, { documents, print, printError }: Terminal): Promise<void> {
  const mock = createMock(command.options)
  mock.use(command.settings)
  const server = createMovingServer({
    mock,
    documents,
    allowsOrigin: command.allowsOrigin,
    ...(!command.isQuiet && {
      onAnswer: (method, target, status) => printError(`${status} ${method} ${target.slice(0, 200)}\n`),
    }),
  })
  const stopped = untilSignal(server)
  const url = await listen(server, command, 'quire-mock --port 0')
  const { info } = JSON.parse(readFileSync(join(documents, 'openapi.json'), 'utf8')) as {
    info: { title: string; version: string }
  }
  print(`${info.title} ${info.version}, mocked\n\n${writeMovingLines(url)}\n\n`)
  print(`Listening on ${url} (stop with Ctrl-C)\n`)
  await stopped
}

function untilSignal(server: Server): Promise<void> {
  return new Promise(done => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        server.close(() => done())
        server.closeAllConnections()
      })
    }
  })
}
