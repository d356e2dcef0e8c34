import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { createMock } from '../mock/index.ts'
import { openRecording, readExchanges } from './exchange.ts'
import { writeMovingLines } from './lines.ts'
import { listen } from './listen.ts'
import { createMovingServer } from './moving.ts'
import { help, type MockCommand, readOptions } from './options.ts'
import { createRecordingServer } from './record.ts'
import { removeSecrets } from './remove-secrets.ts'
import { createReplayServer } from './replay.ts'
import type { ServerOptions } from './server.ts'

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

async function serve(command: MockCommand, terminal: Terminal): Promise<void> {
  const { print } = terminal
  const { server, lines } = createServer(command, terminal)
  const stopped = untilSignal(server)
  const url = await listen(server, command, 'quire-mock --port 0')
  print(`${lines(url)}\n\nListening on ${url} (stop with Ctrl-C)\n`)
  await stopped
}

interface Created {
  server: Server
  /** Returns what is printed before the address. */
  lines(url: string): string
}

function createServer({ source, isQuiet, allowsOrigin }: MockCommand, { documents, printError }: Terminal): Created {
  const options: ServerOptions = {
    allowsOrigin,
    ...(!isQuiet && {
      onAnswer: (method, target, status) => printError(`${status} ${method} ${removeSecrets(target).slice(0, 200)}\n`),
    }),
  }
  if (source.kind === 'record') {
    const { url, file } = source
    const warn = (text: string) => printError(`quire-mock: ${text}\n`)
    const server = createRecordingServer({ url, write: openRecording(file), warn, ...options })
    return { server, lines: () => `Answers of ${url}, recorded to ${file}` }
  }
  if (source.kind === 'replay') {
    const exchanges = readExchanges(source.file)
    const lines = () => `${exchanges.length} recorded answers of ${source.file}`
    return { server: createReplayServer(exchanges, options), lines }
  }
  const mock = createMock(source.options)
  mock.use(source.settings)
  const { info } = JSON.parse(readFileSync(join(documents, 'openapi.json'), 'utf8')) as {
    info: { title: string; version: string }
  }
  return {
    server: createMovingServer({ mock, documents, ...options }),
    lines: url => `${info.title} ${info.version}, mocked\n\n${writeMovingLines(url)}`,
  }
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
