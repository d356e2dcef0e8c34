import puppeteer from 'puppeteer'
import type { ServedDashboard } from './served-dashboard.ts'

export interface FirstLoad {
  /** First contentful paint after the sign-in, of each run. */
  paintMs: number[]
  /** Transferred with an empty cache, the most of all runs. */
  bytes: number
  /** Addresses of other servers. */
  outbound: string[]
}

const runs = 7

/** Signs in with new profiles of Chromium, and looks at the first page: the overview. */
export async function measureFirstLoad(dashboard: ServedDashboard, executablePath: string): Promise<FirstLoad> {
  const browser = await puppeteer.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  const found: FirstLoad = { paintMs: [], bytes: 0, outbound: [] }
  try {
    for (let run = 0; run < runs; run++) {
      const context = await browser.createBrowserContext()
      const tab = await context.newPage()
      let bytes = 0
      const session = await tab.createCDPSession()
      await session.send('Network.enable')
      session.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      tab.on('request', request => {
        if (!/^data:/.test(request.url()) && !request.url().startsWith(dashboard.url))
          found.outbound.push(request.url())
      })
      await tab.goto(await dashboard.createLink())
      await Promise.all([tab.waitForNavigation({ waitUntil: 'networkidle0' }), tab.click('button.main')])
      const paint = await tab.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime)
      found.paintMs.push(paint ?? Number.NaN)
      found.bytes = Math.max(found.bytes, bytes)
      await context.close()
    }
  } finally {
    await browser.close()
  }
  return found
}
