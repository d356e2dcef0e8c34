import type { Browser } from 'puppeteer'
import { OperatorError } from '../../base/operator-error.ts'
import { withTimeout } from '../../base/timer.ts'
import { type BrowserProcess, startBrowserProcess } from './browser-process.ts'
import { installCommand } from './find-browser.ts'

export interface LaunchOptions {
  executablePath: string
  /** Prefix of the folder for the empty profile. */
  profileFolder: string
  /** Whether the browser may run without its sandbox where it cannot run with it: as root, or without user namespaces. */
  allowNoSandbox: boolean
  /** For a person or a script that signs in: access to the network, and a window if it is visible. Absent = sealed. */
  network?: 'visible' | 'hidden'
}

/** A launch that may be ended early. */
type Launch = LaunchOptions & { signal?: AbortSignal }

/** Chromium is installed but does not start, or may not. The operator of the machine must act. */
export class BrowserStartError extends OperatorError {
  readonly problem: string
  readonly remedy: string
  constructor(problem: string, remedy: string, options?: ErrorOptions) {
    super(`${problem} ${remedy}`, 1, options)
    this.problem = problem
    this.remedy = remedy
  }
}

/**
 * Arguments that block network access. Our fetcher intercepts and answers every request of the browser. Requests that
 * cannot be intercepted (websockets, workers, prefetches, WebRTC) go to a proxy whose name cannot be resolved.
 */
const sealedArguments = [
  '--proxy-server=http://sealed.invalid:1',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-gpu',
  '--disable-quic',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--no-pings',
  '--no-default-browser-check',
  '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,DialMediaRouteProvider,Prerender2',
]

const noSandbox = '--no-sandbox'
const startWithinMs = 30_000
const closeWithinMs = 3000
const started = new WeakMap<Browser, BrowserProcess & { hasSandbox: boolean }>()

/**
 * Starts a browser that has no access to the network.
 *
 * @param generation how many browsers were started earlier with the same profile folder. Each browser has a separate
 * profile.
 * @throws {BrowserStartError}
 */
export async function launch(options: Launch, generation: number): Promise<Browser> {
  const { allowNoSandbox } = options
  if (!isRoot()) {
    const browser = await start(options, generation, { hasSandbox: true })
    if (typeof browser !== 'string') return browser
    if (!lacksSandbox(browser)) throw notStarted(options, browser)
    if (!allowNoSandbox) throw new BrowserStartError(noNamespaces, `${allowNamespaces} ${acceptNoSandbox}`)
  } else if (!allowNoSandbox) {
    throw new BrowserStartError(refusedRoot, `${leaveRoot} ${acceptNoSandbox}`)
  }
  const browser = await start(options, generation, { hasSandbox: false })
  if (typeof browser === 'string') throw notStarted(options, browser)
  return browser
}

/** Returns whether the pages of the browser are locked in its sandbox. */
export function hasSandbox(browser: Browser): boolean {
  return started.get(browser)?.hasSandbox ?? false
}

/** Chromium refuses to sandbox pages as root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Returns the reason in words if the browser does not start. */
async function start(
  { executablePath, profileFolder, network, signal }: Launch,
  generation: number,
  { hasSandbox }: { hasSandbox: boolean },
): Promise<Browser | string> {
  // Imported late, because loading puppeteer takes longer than exporting a small site.
  const { default: puppeteer, HTTPRequest } = await import('puppeteer')
  Object.assign(HTTPRequest, { getResponse: encodeBody })
  const defaults = await puppeteer.defaultArgs({
    headless: network === 'visible' ? false : /headless-shell/.test(executablePath) ? 'shell' : true,
    userDataDir: `${profileFolder}-${generation}`,
    args: network === undefined ? [...sealedArguments] : ['--no-first-run', '--no-default-browser-check'],
  })
  signal?.throwIfAborted()
  // Puppeteer adds --no-sandbox if a variable of the environment says so.
  const sandboxed = defaults.filter(argument => argument !== noSandbox)
  const browserProcess = startBrowserProcess(
    executablePath,
    hasSandbox ? sandboxed : [...sandboxed, noSandbox],
    network === 'visible',
  )
  const { transport, ended, kill } = browserProcess
  try {
    const connecting = puppeteer.connect({ transport, protocolTimeout: 60_000 }).catch(() => ended)
    const tooLong = () => new Error(`it did not answer within ${startWithinMs / 1000} seconds`)
    const browser = await withTimeout(Promise.race([connecting, ended]), startWithinMs, tooLong, signal)
    if (typeof browser !== 'string') started.set(browser, { ...browserProcess, hasSandbox })
    return browser
  } catch (error) {
    kill()
    signal?.throwIfAborted()
    return firstLine(error)
  }
}

/**
 * Encodes the body of an answer for the browser. Puppeteer's own function, which this one replaces, works byte by byte: 26 ms of
 * CPU time a megabyte, `Buffer` 0.4 (measured with puppeteer-core 25.16). It took a sixth of the main thread's time.
 */
function encodeBody(body: string | Uint8Array): { contentLength: number; base64: string } {
  const bytes =
    typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return { contentLength: bytes.length, base64: bytes.toString('base64') }
}

/** Closes the browser, or kills it if it does not close in time. */
export async function closeBrowser(browser: Browser): Promise<void> {
  const browserProcess = started.get(browser)
  const closing = browser.close().then(() => browserProcess?.ended)
  const tooLong = () => new Error('the browser does not close')
  await withTimeout(closing, closeWithinMs, tooLong).catch(() => browserProcess?.kill())
}

function lacksSandbox(reason: string): boolean {
  return /sandbox|namespace|zygote/i.test(reason)
}

function notStarted({ executablePath }: LaunchOptions, reason: string): BrowserStartError {
  const problem = `Chromium (${executablePath}) could not be started: ${reason.replace(/\.$/, '')}.`
  return new BrowserStartError(problem, `Install it again with its libraries: ${installCommand()}`)
}

const refusedRoot = 'Chromium is not started as root, because there it runs the scripts of pages without a sandbox.'
const leaveRoot = 'Run Quire as another user: User= in a unit of systemd, USER in a container.'
const noNamespaces =
  'Chromium is not started, because this system lets it make no user namespaces and so it has no sandbox.'
const allowNamespaces =
  'Allow them: with an AppArmor profile for Chromium, with sysctl kernel.unprivileged_userns_clone=1 or user.max_user_namespaces, in a container with its seccomp profile.'
const acceptNoSandbox =
  'Only in a container or virtual machine that you give up to the exported sites, pass --allow-no-sandbox or set QUIRE_ALLOW_NO_SANDBOX=1.'

/** Returns the first line of an error's message. */
export function firstLine(error: unknown): string {
  const lines = String((error as Error)?.message ?? error).split('\n')
  return lines.find(line => line.trim() !== '')?.trim() ?? 'no reason given'
}
