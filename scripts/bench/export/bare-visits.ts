/** Opens the given addresses in a few tabs, as a short script with puppeteer does, and reads the text of each page. */
import puppeteer from 'puppeteer'
import { findBrowser } from '../../../server/web/browser/find-browser.ts'
import { readSettings } from '../measured-script.ts'

const { addresses, tabs } = readSettings<{ addresses: string[]; tabs: number }>()
const executablePath = findBrowser()
if (!executablePath) throw new Error('no Chromium')
const browser = await puppeteer.launch({
  executablePath,
  headless: /headless-shell/.test(executablePath) ? 'shell' : true,
  pipe: true,
  args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
})
const waiting = [...addresses]
async function visit(): Promise<void> {
  const page = await (await browser.createBrowserContext()).newPage()
  await page.setViewport({ width: 1280, height: 900 })
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    await page.goto(address, { waitUntil: 'load', timeout: 30_000 })
    await page.evaluate('document.body.innerText')
  }
}
await Promise.all(Array.from({ length: tabs }, visit))
await browser.close()
