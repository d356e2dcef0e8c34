import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'

/** What a program asked of its browser. */
export interface BrowserUse {
  /** The addresses that it opened, in order. */
  opened: string[]
  /** The number of commands by name. */
  commands: Record<string, number>
  /** Bytes of the commands, and of the answers and events. */
  bytes: { sent: number; received: number }
}

/**
 * Writes a program into `folder` that starts the installed browser and records what it is asked over its pipe. Needs no change
 * of the program that uses the browser.
 */
export function writeRecordingBrowser(folder: string): { executable: string; read(): BrowserUse } {
  const browser = findBrowser()
  if (!browser) throw new OperatorError(`Chromium is needed. Install it with: ${installCommand()}`)
  // The exporter starts a headless shell with other arguments, and knows it by its name.
  const executable = join(folder, `recording-${basename(browser)}`)
  const log = join(folder, 'browser-commands')
  writeFileSync(log, '')
  writeFileSync(executable, `#!${process.execPath}\n(${relay})(${JSON.stringify({ browser, log })})\n`, { mode: 0o755 })
  return { executable, read: () => toUse(readFileSync(log, 'utf8')) }
}

function toUse(log: string): BrowserUse {
  const use: BrowserUse = { opened: [], commands: {}, bytes: { sent: 0, received: 0 } }
  for (const line of log.split('\n').slice(0, -1)) {
    const [name = '', size = '0', address = ''] = line.split('\t')
    if (name === 'received') use.bytes.received += Number(size)
    else {
      use.bytes.sent += Number(size)
      use.commands[name] = (use.commands[name] ?? 0) + 1
    }
    if (name === 'Page.navigate' && address !== 'about:blank') use.opened.push(address)
  }
  return use
}

/** The path of a file of the bundle in an address that the check opened; null = it is an address of the origin. */
export function pathInBundle(address: string): { place: 'root' | 'folder' | 'file'; path: string } | null {
  const folder = 'http://localhost/any/sub/folder/'
  if (address.startsWith(folder)) return { place: 'folder', path: address.slice(folder.length) }
  if (address.startsWith('http://localhost/')) return { place: 'root', path: address.slice('http://localhost/'.length) }
  if (!address.startsWith('file:')) return null
  return { place: 'file', path: fileURLToPath(address).replace(/^.*\/bundle\//, '') }
}

/** Starts the browser and passes on its pipe. Runs in a program of its own, so it must be self-contained. */
function relay({ browser, log }: { browser: string; log: string }): void {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const fs = process.getBuiltinModule('node:fs')
  const out = fs.openSync(log, 'a')
  const child = spawn(browser, process.argv.slice(2), { stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'] })
  const input = child.stdio[3] as import('node:stream').Writable
  const output = child.stdio[4] as import('node:stream').Readable
  const back = fs.createWriteStream('', { fd: 4 })
  let rest: Buffer[] = []
  function note(message: Buffer): void {
    const { method, params } = JSON.parse(message.toString()) as { method: string; params?: { url?: string } }
    fs.writeSync(out, `${method}\t${message.length}\t${method === 'Page.navigate' ? params?.url : ''}\n`)
  }
  fs.createReadStream('', { fd: 3 })
    .on('data', part => {
      const bytes = part as Buffer
      input.write(bytes)
      let from = 0
      for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, from)) {
        note(Buffer.concat([...rest, bytes.subarray(from, end)]))
        rest = []
        from = end + 1
      }
      rest.push(bytes.subarray(from))
    })
    .on('close', () => input.end())
  output.on('data', (part: Buffer) => {
    back.write(part)
    fs.writeSync(out, `received\t${part.length}\n`)
  })
  child.on('exit', code => process.exit(code ?? 1))
}
