import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectionTransport } from 'puppeteer'
import { browserEnvironment } from '../../base/minimal-environment.ts'
import { listProcesses } from '../../base/processes.ts'

/**
 * A started Chromium. Its processes stay in the process group of this process, so that a signal to the group ends them all
 * (measured: 0.2 s). If this process ends in any way, Chromium sees the end of its pipe and ends too (0.4 s), also while a
 * page runs an endless loop. `puppeteer.launch` would make a group of its own.
 */
export interface BrowserProcess {
  /** A pipe instead of a port: no other program can control the browser. */
  transport: ConnectionTransport
  /** Resolves when Chromium has ended, with the reason in words. Never fails. */
  ended: Promise<string>
  kill(): void
}

const maxErrorCharacters = 20_000
/** How long to wait for the rest of the error output of a process that has ended. */
const lastWordsMs = 200

/** Starts Chromium. It inherits only the variables that it needs. A failure is the reason of `ended`. */
export function startBrowserProcess(
  executablePath: string,
  args: readonly string[],
  hasDisplay = false,
): BrowserProcess {
  const child = spawn(executablePath, [...args, '--remote-debugging-pipe'], {
    env: browserEnvironment(process.env, hasDisplay),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  const kill = () => killTree(child)
  process.on('exit', kill)
  const ended = describeEnd(child).finally(() => process.off('exit', kill))
  const [, , , input, output] = child.stdio
  return { transport: connectPipes(input as Writable, output as Readable), ended, kill }
}

async function describeEnd(child: ChildProcess): Promise<string> {
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    errors = (errors + text).slice(-maxErrorCharacters)
  })
  const closed = new Promise<void>(done => child.stderr?.once('close', done))
  const end = await new Promise<string>(done => {
    child.once('error', error => done(error.message))
    child.once('exit', (code, signal) => done(`it ended with ${signal ?? `exit code ${code}`}`))
  })
  await Promise.race([closed, sleep(lastWordsMs)])
  const reason = findReason(errors)
  return reason === undefined ? end : `${end}: ${reason}`
}

/** Returns the last message about an error, without the time and the place in the source of Chromium. */
function findReason(errors: string): string | undefined {
  const lines = errors.split('\n').filter(line => line.trim() !== '')
  const line = lines.findLast(line => /FATAL|sandbox|error while loading|cannot/i.test(line)) ?? lines.at(-1)
  return line?.replace(/^\[[^\]]*\]\s*/, '').trim()
}

/** Speaks the protocol of `--remote-debugging-pipe`: messages that end with a null byte. */
function connectPipes(input: Writable, output: Readable): ConnectionTransport {
  const transport: ConnectionTransport = {
    send: message => void input.write(`${message}\0`),
    close: () => {},
  }
  let parts: Buffer[] = []
  output.on('data', (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const message = Buffer.concat([...parts, chunk.subarray(start, end)]).toString()
      parts = []
      start = end + 1
      // One message at a time, so that promises settle between two messages.
      setImmediate(() => transport.onmessage?.(message))
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  })
  output.on('close', () => transport.onclose?.())
  // After the browser has crashed, pending writes fail with EPIPE. The end of the output tells of the crash.
  for (const pipe of [input, output]) pipe.on('error', () => {})
  return transport
}

/** Kills the process and its descendants: on Debian, the program is a shell script that starts Chromium. */
function killTree(child: ChildProcess): void {
  const { pid, exitCode, signalCode } = child
  if (pid !== undefined && exitCode === null && signalCode === null) {
    for (const each of [...listDescendants(pid), pid]) {
      try {
        process.kill(each, 'SIGKILL')
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  // A Chromium whose parent ended before it is no descendant any more. It ends with its pipe.
  for (const pipe of child.stdio) pipe?.destroy()
}

/** Lists the descendants of a process. Other systems than Linux have no /proc; there, Chromium is started directly. */
function listDescendants(root: number): number[] {
  const children = Map.groupBy(listProcesses(), ({ parent }) => parent)
  const found: number[] = []
  for (let next = [root]; next.length > 0; ) {
    next = next.flatMap(pid => children.get(pid) ?? []).map(({ pid }) => pid)
    found.push(...next)
  }
  return found
}
