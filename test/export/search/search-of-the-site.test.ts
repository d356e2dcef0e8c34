import { describe, expect, test } from 'vitest'
import type { FakeSite } from '../fake-site.ts'
import { needBrowser, open, run, setUpSearchExports, visit, words } from './search-exports.ts'

setUpSearchExports()

describe('in Chromium', { timeout: 120_000 }, () => {
  needBrowser()

  test('is off where the search of the site works, and replaces it elsewhere', async () => {
    const app = `
      const known = location.pathname.replace(/(\\/index\\.html|\\/)$/, '') === ''
      document.getElementById('root').firstChild.textContent = known ? 'live' : 'This page was not found by the app'
      addEventListener('keydown', event => { if (event.key === '/') document.title = 'own search' })`
    const site: FakeSite = {
      '/': `<!doctype html><html><head><title>app</title><script type="module" src="/app.js"></script></head><body><div id="root"><h1>app</h1><button class="DocSearch" disabled>Find</button><p>${words('app')}</p></div></body></html>`,
      '/app.js': app,
    }
    const { outFile, report } = await run(site, { verify: 'sample' })
    expect(report.scripts.mode).toBe('guarded')
    // Off the root, the heading lacks what the script adds.
    expect(report.differences.map(({ place, loss }) => [place, loss?.words])).toEqual([
      ['folder', 1],
      ['file', 1],
    ])
    const bundle = await open(outFile)
    const visitor = await visit(bundle)
    await visitor.go(bundle.address('root', ''))
    await new Promise(resolve => setTimeout(resolve, 1200))
    await visitor.press('/')
    expect(await visitor.tab.title()).toBe('own search')
    expect(await visitor.state()).toMatchObject({ isOpen: false, hasButton: false })
    for (const place of ['folder', 'file'] as const) {
      await visitor.go(bundle.address(place, 'index.html'))
      expect(await visitor.state()).toMatchObject({ hasButton: false })
      await visitor.tab.click('button.DocSearch')
      expect(await visitor.ask('app42')).toEqual(['app'])
      await visitor.press('Escape')
    }
    expect(visitor.faults).toEqual([])
  })

  test('replaces a removed search service, even if scripts add its button again', async () => {
    const app = `
      const button = document.createElement('button')
      button.className = 'DocSearch-Button'
      button.textContent = 'Search docs'
      button.onclick = () => { document.title = 'dead' }
      document.body.prepend(button)
      addEventListener('keydown', event => { if (event.key === '/') { event.preventDefault(); document.title = 'dead' } })`
    const service = '<script src="https://cdn.jsdelivr.net/npm/@docsearch/js@3"></script><div id="docsearch"></div>'
    const { outFile, report } = await run({
      '/': `<!doctype html><html><head><title>app</title></head><body><h1>app</h1><p>${words('app')}</p>${service}<script src="app.js"></script></body></html>`,
      '/app.js': app,
    })
    expect(report.removedFeatures).toMatchObject([{ feature: 'search', pages: 1 }])
    expect(report.scripts.mode).toBe('everywhere')
    const bundle = await open(outFile)
    const { go, press, ask, state, tab, faults } = await visit(bundle)
    for (const place of ['root', 'file'] as const) {
      await go(bundle.address(place, 'index.html'))
      await tab.click('.DocSearch-Button')
      expect(await ask('app12/')).toEqual(['app'])
      await press('Escape', '/')
      expect(await state()).toMatchObject({ isOpen: true, hasButton: false })
      await press('Escape')
      expect(await tab.title()).toBe('app')
    }
    expect(faults).toEqual([])
  })
})
