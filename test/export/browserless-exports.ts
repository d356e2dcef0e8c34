import { afterEach, beforeAll } from 'vitest'
import { exportFakeSite, type FakeOptions, type FakeSite, startFakeSite } from './fake-site.ts'
import type { RunningServer } from './static-server.ts'

/**
 * Prepares a test file for exports of fake sites without a browser. Call this once, at the top level of the file.
 * Started sites are closed after each test.
 */
export function setUpBrowserlessExports() {
  const servers: RunningServer[] = []

  // Sites whose HTML is complete need no browser, and these tests must not depend on one.
  beforeAll(() => {
    const before = process.env.PUPPETEER_EXECUTABLE_PATH
    process.env.PUPPETEER_EXECUTABLE_PATH = '/nonexistent/chromium'
    return () => {
      if (before === undefined) delete process.env.PUPPETEER_EXECUTABLE_PATH
      else process.env.PUPPETEER_EXECUTABLE_PATH = before
    }
  })

  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close()
  })

  async function start(site: FakeSite): Promise<RunningServer> {
    const server = await startFakeSite(site)
    servers.push(server)
    return server
  }

  async function run(site: FakeSite, options: FakeOptions = {}) {
    const { origin } = await start(site)
    return exportFakeSite(options.origin ? new URL(options.origin.pathname, origin) : origin, {
      ...options,
      origin: options.origin ? new URL(options.origin.pathname, origin) : origin,
    })
  }

  return { start, run }
}

/** Lists the pages of a bundle, without its report. */
export const pagesOf = (names: string[]) =>
  names.filter(name => name.endsWith('.html') && name !== 'export-report.html')
