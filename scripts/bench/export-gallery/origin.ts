import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { listTree } from '../export/process-tree.ts'
import { serveStatic } from '../export/static-server.ts'
import type { ProgramSource, SiteSource } from './site.ts'

/** A served site. */
export interface Origin {
  /** Address of the host, with a trailing slash. */
  root: string
  close(): Promise<void>
}

const startTimeoutMs = 60_000

/** Serves a site on a free local port, with a static server or with the site's own program. */
export async function openOrigin(source: SiteSource): Promise<Origin> {
  if ('command' in source) return startProgram(source)
  const server = await serveStatic(source.folder, source.habits)
  return { root: new URL('/', server.root).href, close: server.close }
}

/** @throws {OperatorError} when the program ends or does not answer in time. */
async function startProgram({ folder, command }: ProgramSource): Promise<Origin> {
  const port = await findFreePort()
  const { program, args } = command(port)
  const logFile = join(folder, 'serve.log')
  const log = createWriteStream(logFile)
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
    },
  })
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  let end: string | undefined
  const ended = new Promise<void>(done => {
    child.on('error', error => {
      end = error.message
      done()
    })
    child.on('exit', (code, signal) => {
      end = `exit ${signal ?? code}`
      done()
    })
  })
  const kill = () => killTree(child.pid)
  process.once('exit', kill)
  const close = async () => {
    process.off('exit', kill)
    if (end === undefined) kill()
    await ended
    log.end()
  }
  const root = `http://127.0.0.1:${port}/`
  const until = performance.now() + startTimeoutMs
  while (end === undefined && performance.now() < until) {
    const answers = await fetch(root, { redirect: 'manual' }).then(
      answer => answer.arrayBuffer().then(() => true),
      () => false,
    )
    if (answers) return { root, close }
    await sleep(200)
  }
  const why = end ?? 'no answer in 60 s'
  await close()
  throw new OperatorError(`${program} ${args.join(' ')} does not serve the site (${why}). Its output is in ${logFile}`)
}

function killTree(pid: number | undefined): void {
  if (pid === undefined) return
  for (const member of listTree(pid)) {
    try {
      process.kill(member, 'SIGKILL')
    } catch {
      // It has already exited.
    }
  }
}

function findFreePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer()
    server.once('error', failed).listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
