// Neither ships types; both are there after `npm run bench` has installed them.
declare module 'website-scraper' {
  export default function scrape(options: {
    urls: string[]
    directory: string
    recursive: boolean
    filenameGenerator: 'bySiteStructure' | 'byType'
    urlFilter(url: string): boolean
    requestConcurrency: number
    plugins: object[]
  }): Promise<unknown>
}

declare module 'website-scraper-puppeteer' {
  export default class PuppeteerPlugin {
    constructor(options: {
      launchOptions: { executablePath: string; args: string[]; headless: boolean }
      gotoOptions: { waitUntil: string }
      blockNavigation: boolean
    })
  }
}
