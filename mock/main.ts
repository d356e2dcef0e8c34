import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Command, InvalidArgumentError, Option } from 'commander'
import { runProgram } from '../scripts/run-program.ts'
import { addOrigins } from '../server/flags/address-settings.ts'
import { createMock } from '../spec/package/mock/index.ts'
import { readBothDocuments, writeForPrism } from './both-documents.ts'
import { createFront } from './front.ts'
import { writeLines } from './lines.ts'
import { createMovingServer } from './moving.ts'
import { addMovingOptions, type MovingFlags, readMovingFlags } from './moving-flags.ts'
import { writeMovingLines } from './moving-lines.ts'
import { startPrism } from './prism.ts'
import type { Document } from './requests.ts'

const program = new Command('npm run mock --')
  .description(
    'Serve the contract without a server and a database: with the examples of the document (Prism), or with --scenario as a mock that moves.',
  )
  .addOption(
    new Option('--port <number>', 'port to listen on, 0 for any free one')
      .env('QUIRE_MOCK_PORT')
      .default(4010)
      .argParser(parsePort),
  )
  .addOption(new Option('--host <address>', 'address to listen on').env('QUIRE_MOCK_HOST').default('127.0.0.1'))
  .addOption(
    new Option(
      '--cors-origin <url>',
      'origin whose scripts may call the mock from a browser; repeat it or separate them by commas (default: every origin)',
    )
      .env('QUIRE_MOCK_CORS_ORIGIN')
      .argParser(addOrigins),
  )
  .addOption(new Option('--quiet', 'print no line for each request').env('QUIRE_MOCK_QUIET'))
  .addHelpText(
    'after',
    `
Any Bearer token is accepted; a request without one gets 401. Without --scenario, choose an answer with the Prefer header:
  Prefer: code=409                       the first example of a status
  Prefer: code=200, example=archived     an example by its name

With --scenario, switch the scenario at http://127.0.0.1:4010/mock. For one request, use its query or its Prefer header:
  ?__scenario=slow&__delay=500&__error=503
  Prefer: scenario=slow, delay=500, error=503
  Prefer: code=503                       the same as error=503

Exit codes: 0 stopped, 1 failed, 2 wrong usage, such as an unknown scenario

Examples:
  npm run mock
  npm run mock -- --port 8080
  npm run mock -- --scenario usual
  npm run mock -- --scenario failing-exports --speed 10
  npm run mock -- --scenario mixed --seed 7 --step 1
  curl -i -H 'Authorization: Bearer any' -H 'Prefer: code=429' http://127.0.0.1:4010/v1/analytics/any/visitors
`,
  )
  .exitOverride()
  .action(serve)

addMovingOptions(program)

interface MockFlags extends MovingFlags {
  port: number
  host: string
  corsOrigin?: string[]
  quiet?: boolean
}

/** The server that clients connect to, and what it prints when it listens. */
interface Started {
  server: Server
  writeLines(url: string): string
  /** Settles when the server can no longer answer. */
  ended: Promise<void>
  stop(): void
}

async function serve(flags: MockFlags): Promise<void> {
  const { port, host, corsOrigin, quiet } = flags
  const common = {
    allowsOrigin: (origin: string) => corsOrigin?.includes(origin) ?? true,
    ...(!quiet && {
      onAnswer: (method: string, target: string, status: number) =>
        console.error(`${status} ${method} ${target.slice(0, 200)}`),
    }),
  }
  const moving = readMovingFlags(flags)
  const document = readBothDocuments()
  const { server, writeLines, ended, stop } = moving
    ? startMoving(moving, common)
    : await startExamples(document, common)
  const stopAll = () => {
    server.close()
    server.closeAllConnections()
    stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopAll)
  try {
    const url = await listen(server, host, port)
    console.log(`${document.info.title} ${document.info.version}, mocked\n\n${writeLines(url)}\n`)
    console.log(`Listening on ${url} (stop with Ctrl-C)`)
    await ended
  } finally {
    stopAll()
  }
}

interface Common {
  allowsOrigin: (origin: string) => boolean
  onAnswer?: (method: string, target: string, status: number) => void
}

function startMoving({ options, settings }: NonNullable<ReturnType<typeof readMovingFlags>>, common: Common): Started {
  const mock = createMock(options)
  mock.use(settings)
  const { promise: ended, resolve: stop } = Promise.withResolvers<void>()
  return { server: createMovingServer({ mock, ...common }), writeLines: writeMovingLines, ended, stop }
}

async function startExamples(document: Document, common: Common): Promise<Started> {
  const { file, remove } = writeForPrism(document)
  let prism = await startPrism(file)
  let restarted = Promise.resolve(prism)
  let stopping = false
  const server = createFront({ prismUrl: async () => (await restarted).url, document, ...common })
  async function watch(): Promise<void> {
    while (!stopping) {
      await prism.ended
      if (stopping) return
      console.error('Prism exited unexpectedly; restarting it.')
      restarted = startPrism(file)
      prism = await restarted
    }
  }
  return {
    server,
    writeLines: url => writeLines(document, url),
    ended: watch(),
    stop() {
      stopping = true
      prism.stop()
      remove()
    },
  }
}

/** Starts the server and returns its URL. */
async function listen(front: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    front.once('error', error => reject(explainListen(error, host, port)))
    front.listen(port, host, resolve)
  })
  const { family, address, port: actual } = front.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`
}

function explainListen({ code, message }: NodeJS.ErrnoException, host: string, port: number): Error {
  if (code === 'EADDRINUSE') return new Error(`Port ${port} is in use. Choose another: npm run mock -- --port 0`)
  if (code === 'EACCES') return new Error(`This user may not listen on port ${port}. Choose one above 1023.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return new Error(`${host} is not an address of this machine.`)
  return new Error(message)
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
  return port
}

await runProgram(program)
