// Neither package has types; `npm run bench` installs both.
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
