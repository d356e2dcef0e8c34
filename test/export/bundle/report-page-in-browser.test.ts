import { expect, test } from 'vitest'
import { writeReportPage } from '../../../server/export/bundle/report-page.ts'
import { emptyReport } from '../../../server/export/check/bundle-report.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { openBrowser } from '../search/search-visitor.ts'

test('the report fits a screen of 360 pixels, with all its tables open', async ({ skip }) => {
  if (!findBrowser()) skip(`needs a Chromium; install one with: ${installCommand()}`)
  const long = `/${'verylongnameofapage'.repeat(8)}`
  const browser = await openBrowser()
  try {
    const tab = await browser.newPage()
    await tab.setViewport({ width: 360, height: 800 })
    const report = {
      ...{ ...emptyReport, domain: `${'documentation.'.repeat(6)}example.com`, pages: 3 },
      deadLinks: [{ to: long, reason: 'status 404', count: 12, pages: [long] }],
      excludedPages: [{ url: long, pattern: long }],
      scripts: { ...emptyReport.scripts, mode: 'guarded' as const, decidedBy: 'browser' as const },
    }
    await tab.setContent(writeReportPage(report))
    await tab.$$eval('details', all => {
      for (const each of all) each.setAttribute('open', '')
    })
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  } finally {
    await browser.close()
  }
})
