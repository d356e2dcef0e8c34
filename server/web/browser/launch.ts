import type { Browser } from 'puppeteer'
import { OperatorError } from '../../base/operator-error.ts'
import { withTimeout } from '../../base/timer.ts'

export interface LaunchOptions {
  executablePath: string
  /** Prefix of the folder for the empty profile. */
  profileFolder: string
}

/** Chromium is installed but does not start. */
export class BrowserStartError extends OperatorError {}

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

const closeWithinMs = 3000

/**
 * Starts a browser that has no access to the network.
 *
 * @param generation how many browsers were started earlier with the same profile folder. Each browser has a separate
 * profile.
 * @throws {BrowserStartError}
 */
export async function launch({ executablePath, profileFolder }: LaunchOptions, generation: number): Promise<Browser> {
  // Imported late, because loading puppeteer takes longer than exporting a small site.
  const { default: puppeteer } = await import('puppeteer')
  try {
    const browser = await puppeteer.launch({
      executablePath,
      headless: /headless-shell/.test(executablePath) ? 'shell' : true,
      // A pipe instead of a port prevents other programs from controlling the browser, and the browser ends with this
      // process.
      pipe: true,
      userDataDir: `${profileFolder}-${generation}`,
      args: [...sealedArguments, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: 30000,
      protocolTimeout: 60000,
    })
    // Puppeteer stops listening when the browser exits. Pending writes then fail with EPIPE.
    for (const pipe of browser.process()?.stdio ?? []) pipe?.on('error', () => {})
    return browser
  } catch (error) {
    const message = `Chromium (${executablePath}) could not be started: ${firstLine(error)}`
    throw new BrowserStartError(message, 1, { cause: error })
  }
}

/** Closes the browser, or kills it if it does not close in time. */
export async function closeBrowser(browser: Browser): Promise<void> {
  const closing = browser.close().catch(() => {})
  await withTimeout(closing, closeWithinMs, () => new Error('the browser does not close')).catch(() =>
    browser.process()?.kill('SIGKILL'),
  )
}

/** Returns the first line of an error's message. */
export function firstLine(error: unknown): string {
  const lines = String((error as Error)?.message ?? error).split('\n')
  return lines.find(line => line.trim() !== '')?.trim() ?? 'no reason given'
}
