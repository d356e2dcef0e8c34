// node website-scraper.ts URL FOLDER [BROWSER]: runs website-scraper once, with a browser if given.
import scrape from 'website-scraper'

const [url = '', folder = '', executablePath] = process.argv.slice(2)
const { origin } = new URL(url)
const plugins = executablePath ? [await openPuppeteerPlugin(executablePath)] : []
await scrape({
  urls: [url],
  directory: folder,
  recursive: true,
  filenameGenerator: 'bySiteStructure',
  urlFilter: found => found.startsWith(`${origin}/`),
  // By default there is no limit, and it opens one tab per page.
  requestConcurrency: executablePath ? 4 : 16,
  plugins,
})

async function openPuppeteerPlugin(executablePath: string): Promise<object> {
  const { default: PuppeteerPlugin } = await import('website-scraper-puppeteer')
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return new PuppeteerPlugin({
    launchOptions: { executablePath, args, headless: true },
    gotoOptions: { waitUntil: 'networkidle0' },
    blockNavigation: true,
  })
}
