import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { listTree } from '../../../scripts/bench/export/process-tree.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { closeBrowser, isRoot, launch } from '../../../server/web/browser/launch.ts'
import { waitFor } from '../../support/export-site.ts'

const executablePath = findBrowser() ?? ''
const holdBrowser = join(import.meta.dirname, 'hold-browser.ts')
let folder = ''
let held: ChildProcess | undefined

beforeEach(context => {
  if (!executablePath) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  folder = mkdtempSync(join(tmpdir(), 'quire-launch-'))
  // Another user starts some of the browsers.
  chmodSync(folder, 0o777)
})
afterEach(() => {
  if (held?.pid !== undefined && isAlive(held.pid)) process.kill(-held.pid, 'SIGKILL')
  held = undefined
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Starts a browser in a process that leads its own group, and reads what it prints. */
async function hold(...args: string[]): Promise<{ pid: number; told: { hasSandbox?: boolean; error?: string } }> {
  const child = spawn(process.execPath, [holdBrowser, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  held = child
  let text = ''
  for await (const part of child.stdout) {
    text += part
    if (text.endsWith('\n')) break
  }
  return { pid: child.pid ?? 0, told: JSON.parse(text) }
}

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

const command = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'latin1')
const untilEnded = (pids: number[]) => waitFor(async () => (pids.some(isAlive) ? undefined : true), 10_000)

/** Writes a program that stands in for Chromium. */
function writeProgram(...lines: string[]): string {
  const file = join(folder, 'chromium-headless-shell')
  writeFileSync(file, ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 })
  return file
}

const start = (program: string, signal = new AbortController().signal) =>
  launch({ executablePath: program, profileFolder: join(folder, 'profile'), allowNoSandbox: true, signal }, 0)

test.skipIf(process.platform !== 'linux')('no process of the browser has the secrets of the environment', async () => {
  process.env.QUIRE_TEST_SECRET = 'secret-of-the-environment'
  try {
    const browser = await start(executablePath)
    await browser.newPage()
    const [, ...tree] = listTree(process.pid)
    const ofBrowser = tree.filter(pid => /--type=|--user-data-dir=/.test(command(pid)))
    // The browser, two zygotes, the network service and a page.
    expect(ofBrowser.length).toBeGreaterThan(4)
    const environments = ofBrowser.map(pid => readFileSync(`/proc/${pid}/environ`, 'latin1'))
    expect(environments.filter(text => text.includes('secret-of-the-environment'))).toEqual([])
    expect(environments.filter(text => text.includes('PATH='))).not.toEqual([])
    await closeBrowser(browser)
    await untilEnded(ofBrowser)
  } finally {
    delete process.env.QUIRE_TEST_SECRET
  }
})

describe.skipIf(process.platform !== 'linux')('a browser whose page runs an endless loop', () => {
  test.each<[string, (pid: number) => number]>([
    ['its process group is killed', pid => -pid],
    ['the process that started it is killed', pid => pid],
  ])('ends when %s', async (_, choose) => {
    const { pid } = await hold(executablePath, folder, '--allow')
    const tree = listTree(pid)
    expect(tree.filter(each => command(each).includes('--type=renderer'))).not.toEqual([])
    process.kill(choose(pid), 'SIGKILL')
    await untilEnded(tree)
  })
})

describe('the sandbox', () => {
  test.runIf(isRoot())('is needed by root, unless the operator allows to do without', async () => {
    const starting = launch({ executablePath, profileFolder: join(folder, 'profile'), allowNoSandbox: false }, 0)
    await expect(starting).rejects.toThrow(
      /not started as root, .* Run Quire as another user: User= in a unit of systemd, USER in a container\. .* pass --allow-no-sandbox or set QUIRE_ALLOW_NO_SANDBOX=1\.$/,
    )
    expect((await hold(executablePath, folder, '--allow')).told).toEqual({ hasSandbox: false })
  })

  const asNobody = isRoot() ? ['--nobody'] : []
  const [uid, gid] = isRoot() ? [65534, 65534] : [process.getuid?.(), process.getgid?.()]
  const hasNamespaces =
    spawnSync('unshare', ['--user', 'true'], { ...(uid && { uid }), ...(gid && { gid }) }).status === 0
  const namespaceTest = test.runIf(hasNamespaces)

  namespaceTest('is used by other users, also if they may do without', async () => {
    expect((await hold(executablePath, folder, '--allow', ...asNobody)).told).toEqual({ hasSandbox: true })
  })

  namespaceTest('is missing without user namespaces: the error says how to allow them', async () => {
    const program = writeProgram(
      `case "$*" in *--no-sandbox*) exec ${executablePath} "$@" ;; esac`,
      // What Chromium prints where user.max_user_namespaces is 0.
      'echo "[1124/161400.766724:ERROR:zygote_host_impl_linux.cc:130] No usable sandbox! If this is a Debian system, ..." >&2',
      'exit 1',
    )
    const refused = await hold(program, folder, ...asNobody)
    expect(refused.told.error).toMatch(/makes? no user namespaces .* AppArmor .* seccomp .* --allow-no-sandbox/)
    expect((await hold(program, folder, '--allow', ...asNobody)).told).toEqual({ hasSandbox: false })
  })
})

describe('a program that does not start', () => {
  test.each([
    [
      ['echo "[1:2:ERROR:a.cc] cannot open shared object file: libnss3.so" >&2', 'exit 127'],
      /could not be started: it ended with exit code 127: cannot open shared object file: libnss3\.so\. Install it again/,
    ],
    [['exit 1'], /could not be started: it ended with exit code 1\. Install it again/],
    [['kill -9 $$'], /could not be started: it ended with SIGKILL\. Install it again/],
  ])('%j is named with its reason', async (lines, message) => {
    await expect(start(writeProgram(...lines))).rejects.toThrow(message)
  })

  test.skipIf(process.platform !== 'linux')(
    'and hangs is killed with its children when the export is stopped',
    async () => {
      const controller = new AbortController()
      const marker = join(folder, 'pid')
      const starting = start(
        writeProgram('sleep 1000 &', `echo "$$ $!" > ${marker}.part`, `mv ${marker}.part ${marker}`, 'wait'),
        controller.signal,
      )
      starting.catch(() => {})
      const pids = await waitFor(async () => {
        try {
          return readFileSync(marker, 'utf8').trim().split(' ').map(Number)
        } catch {
          return undefined
        }
      })
      expect(pids.map(isAlive)).toEqual([true, true])
      controller.abort(new Error('stopped'))
      await expect(starting).rejects.toThrow('stopped')
      await untilEnded(pids)
    },
  )
})

test('the bytes of an answer reach the page as they are, encoded by Buffer', async () => {
  const { HTTPRequest } = await import('puppeteer')
  const options = { executablePath, profileFolder: join(folder, 'profile'), allowNoSandbox: true }
  const browser = await launch(options, 1)
  try {
    const encoder = HTTPRequest as unknown as { getResponse(body: unknown): unknown }
    expect(encoder.getResponse.name).toBe('encodeBody')
    const encode = vi.spyOn(encoder, 'getResponse')
    const page = await browser.newPage()
    await page.setRequestInterception(true)
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256))
    const answers: Record<string, Buffer | string> = { '/': '<title>Größe</title>', '/bytes': bytes.subarray(100) }
    page.on('request', request => {
      const body = answers[new URL(request.url()).pathname] ?? ''
      void request.respond({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body })
    })
    await page.goto('http://localhost/')
    expect(await page.title()).toBe('Größe')
    const received = await page.evaluate(
      "fetch('/bytes').then(async answer => [...new Uint8Array(await answer.arrayBuffer())])",
    )
    expect(Buffer.from(received as number[]).equals(bytes.subarray(100))).toBe(true)
    expect(encode.mock.results.map(({ value }) => value.contentLength)).toEqual([22, 69_900])
  } finally {
    await closeBrowser(browser)
  }
})
