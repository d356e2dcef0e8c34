import type { Server } from 'node:http'
import { Command } from 'commander'
import { runProgram } from '../scripts/run-program.ts'
import { createMock } from '../spec/package/mock/index.ts'
import { type Moving, type MovingTexts, readAddress } from '../spec/package/mock-server/flags.ts'
import { writeMovingLines } from '../spec/package/mock-server/lines.ts'
import { listen } from '../spec/package/mock-server/listen.ts'
import { createMovingServer } from '../spec/package/mock-server/moving.ts'
import { generated, readBothDocuments, writeForPrism } from './both-documents.ts'
import { createFront } from './front.ts'
import { writeLines } from './lines.ts'
import { addListenOptions, addMovingOptions, readMovingFlags } from './moving-flags.ts'
import { startPrism } from './prism.ts'
import type { Document } from './requests.ts'

const program = new Command('npm run mock --')
  .description(
    'Serve the contract without a server and a database: with the examples of the document (Prism), or with --scenario as a mock that moves.',
  )
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

addMovingOptions(addListenOptions(program))

interface MockFlags extends MovingTexts {
  port: string
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
  const { allowsOrigin, ...address } = readAddress({ ...flags, origins: flags.corsOrigin })
  const common = {
    allowsOrigin,
    ...(!flags.quiet && {
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
    const url = await listen(server, address, 'npm run mock -- --port 0')
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

function startMoving({ options, settings }: Moving, common: Common): Started {
  const mock = createMock(options)
  mock.use(settings)
  const { promise: ended, resolve: stop } = Promise.withResolvers<void>()
  return {
    server: createMovingServer({ mock, documents: generated, ...common }),
    writeLines: writeMovingLines,
    ended,
    stop,
  }
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

await runProgram(program)
