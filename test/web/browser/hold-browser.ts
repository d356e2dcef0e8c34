// Starts a browser and keeps a page busy until the test ends this process. Prints one line of JSON: the error of the start, or
// whether the browser has a sandbox.
//   hold-browser.ts EXECUTABLE FOLDER [--allow] [--nobody]
import 'puppeteer'
import { join } from 'node:path'
import { hasSandbox, launch } from '../../../server/web/browser/launch.ts'

const [executablePath = '', folder = '', ...flags] = process.argv.slice(2)
if (flags.includes('--nobody')) {
  process.setgid?.(65534)
  process.setuid?.(65534)
}
try {
  const profileFolder = join(folder, 'profile')
  const browser = await launch({ executablePath, profileFolder, allowNoSandbox: flags.includes('--allow') }, 0)
  const page = await browser.newPage()
  await page.goto('data:text/html,busy')
  const isBusy = page.evaluate('for (;;) {}')
  isBusy.catch(() => {})
  console.log(JSON.stringify({ hasSandbox: hasSandbox(browser) }))
} catch (error) {
  console.log(JSON.stringify({ error: (error as Error).message }))
}
