import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { findFreePort } from '../find-free-port.ts'
import { listTree } from './process-tree.ts'
import type { SiteSource } from './site.ts'
import { serveStatic } from './static-server.ts'

/** A served site. */
export interface Origin {
  /** Address of the host, with a trailing slash. */
  root: string
  close(): Promise<void>
}

const startTimeoutMs = 60_000

/** Serves a site on a free local port, with a static server or with the site's own program. */
export async function openOrigin({ folder, serve, ...habits }: SiteSource): Promise<Origin> {
  if (serve) return startProgram(folder, serve)
  const server = await serveStatic(folder, habits)
  return { root: new URL('/', server.root).href, close: server.close }
}

/** @throws {OperatorError} when the program ends or does not answer in time. */
async function startProgram(folder: string, serve: readonly string[]): Promise<Origin> {
  const port = await findFreePort()
  const args = serve.map(arg => (arg === 'PORT' ? String(port) : arg))
  const logFile = join(folder, 'serve.log')
  const log = createWriteStream(logFile)
  const child = spawn(process.execPath, args, {
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
  throw new OperatorError(`node ${args.join(' ')} does not serve the site (${why}). Its output is in ${logFile}`)
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
