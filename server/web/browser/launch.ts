import type { Browser } from 'puppeteer'
import { OperatorError } from '../../base/operator-error.ts'

/**
 * Everything the browser needs comes from our fetcher by interception. What interception does not see (websockets,
 * workers, prefetches, WebRTC) meets a proxy whose name resolves to nothing.
 */
export const sealedArguments = [
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

/** Chromium is there but does not start. */
export class BrowserStartError extends OperatorError {}

/** Starts a browser that can reach nothing by itself. Whoever verifies a bundle uses it, too. */
export async function launch(
  { executablePath, profileFolder }: Pick<RendererOptions, 'executablePath' | 'profileFolder'>,
  generation: number,
): Promise<Browser> {
  // Its modules take longer to load than a small site to export.
  const { default: puppeteer } = await import('puppeteer')
  try {
    const browser = await puppeteer.launch({
      executablePath,
      headless: /headless-shell/.test(executablePath) ? 'shell' : true,
      // A pipe instead of a port: nobody else can drive it, and it ends with this process whatever ends that.
      pipe: true,
      userDataDir: `${profileFolder}-${generation}`,
      args: [...sealedArguments, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: 30000,
      protocolTimeout: 60000,
    })
    // The driver stops listening when the browser goes; what it was still writing then fails (EPIPE) with nobody to hear.
    for (const pipe of browser.process()?.stdio ?? []) pipe?.on('error', () => {})
    return browser
  } catch (error) {
    const message = `Chromium (${executablePath}) could not be started: ${firstLine(error)}`
    throw new BrowserStartError(message, 1, { cause: error })
  }
}

export async function closeBrowser(browser: Browser): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    browser.process()?.kill('SIGKILL')
    resolve()
  }, 3000)
  await Promise.race([browser.close().catch(() => {}), promise])
  clearTimeout(timer)
}

export function firstLine(error: unknown): string {
  const lines = String((error as Error)?.message ?? error).split('\n')
  return lines.find(line => line.trim() !== '')?.trim() ?? 'no reason given'
}

export interface RendererOptions {
  executablePath: string
  /** Folder for the empty profile. */
  profileFolder: string
  pageTimeoutMs: number
  /** What one page may ask for. */
  pageRequests: number
  signal: AbortSignal
}
