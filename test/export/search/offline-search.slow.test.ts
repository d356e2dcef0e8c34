import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import { serveFolder, startServer } from '../static-server.ts'
import { closing, needBrowser, open, plainSite, run, runExport, setUpSearchExports, visit } from './search-exports.ts'

setUpSearchExports()

test('is off by default, and then adds nothing to the bundle', async () => {
  const without = await run(plainSite, { offlineSearch: false })
  expect(without.names).toEqual([
    'deep/guide.html',
    'deep/guide/index.htm',
    'export-report.html',
    'export-report.json',
    'index.html',
    'quire-manifest.json',
  ])
  expect(without.report.offlineSearch).toBeNull()
  for (const name of ['index.html', 'deep/guide.html'])
    expect(readEntry(without.entries, name)).not.toMatch(/_quire|<script/)
})

test('adds the search to the bundle and the report, with the same bytes each time', async () => {
  const server = await startFakeSite(plainSite)
  closing.push(server)
  const one = await runExport(server)
  expect(one.names.filter(name => name.startsWith('_quire'))).toEqual([
    '_quire/search.js',
    '_quire/search/directory.js',
    '_quire/search/text-0.js',
    '_quire/search/words-0.js',
  ])
  expect(one.report).toMatchObject({ offlineSearch: { pages: 2, sections: 3, files: 3 }, unresolved: [] })
  expect(readEntry(one.entries, 'export-report.html')).toContain('it covers 2 pages with 3 sections')
  expect(readEntry(one.entries, 'deep/guide.html')).toContain('<script src="../_quire/search.js" defer="">')
  expect((await runExport(server)).sha256).toBe(one.sha256)
})

describe('in Chromium', { timeout: 120_000 }, () => {
  needBrowser()

  test('finds a heading and opens it, at the root, in a folder and from file://, and loads its files only on use', async () => {
    const { outFile } = await run(plainSite)
    const bundle = await open(outFile)
    const visitor = await visit(bundle)
    for (const place of ['root', 'folder', 'file'] as const) {
      await visitor.go(bundle.address(place, 'index.html'))
      expect(visitor.loaded.splice(0)).toEqual(['search.js'])
      expect(await visitor.state()).toMatchObject({ isOpen: false, hasButton: true })
      await visitor.press('/')
      expect(await visitor.ask('zebr')).toEqual(['Set up'])
      await Promise.all([visitor.tab.waitForNavigation(), visitor.press('Enter')])
      expect(visitor.tab.url()).toBe(`${bundle.address(place, 'deep/guide.html')}#set-up`)
      expect(visitor.loaded.splice(0).sort()).toEqual([
        'search.js',
        'search/directory.js',
        'search/text-0.js',
        'search/words-0.js',
      ])
      // From a page in a folder to the home page.
      await visitor.tab.keyboard.down('Control')
      await visitor.press('k')
      await visitor.tab.keyboard.up('Control')
      expect(await visitor.ask('words home')).toEqual(['home'])
      await Promise.all([visitor.tab.waitForNavigation(), visitor.press('Enter')])
      expect(visitor.tab.url()).toBe(bundle.address(place, 'index.html'))
      visitor.loaded.length = 0
    }
    expect(visitor.faults).toEqual([])
  })

  const docs = '/usr/share/doc/python3.11/html'
  test.skipIf(!existsSync(docs))('finds sections of a real site', async () => {
    // Without the scripts of the site, which include its search.
    const files = serveFolder(docs)
    const server = await startServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://docs.invalid').pathname
      if (!path.endsWith('.html')) return files(request, response)
      const html = readFileSync(join(docs, path), 'utf8').replace(/<script\b[\s\S]*?<\/script>/gi, '')
      response.writeHead(200, { 'content-type': 'text/html' }).end(html)
    })
    closing.push(server)
    const names = ['datastructures', 'classes', 'errors', 'inputoutput', 'modules', 'stdlib', 'venv', 'controlflow']
    const paths = names.map(name => `/tutorial/${name}.html`)
    const { outFile } = await runExport(server, { paths })
    const bundle = await open(outFile)
    const visitor = await visit(bundle)
    const questions: [string, string][] = [
      ['list comprehensions', 'tutorial/datastructures.html#list-comprehensions'],
      ['multiple inheritance', 'tutorial/classes.html#multiple-inheritance'],
      ['virtual environments pa', 'tutorial/venv.html'],
      ['formatted string literals', 'tutorial/inputoutput.html#formatted-string-literals'],
    ]
    for (const place of ['root', 'folder', 'file'] as const) {
      for (const [question, want] of questions) {
        await visitor.go(bundle.address(place, 'tutorial/modules.html'))
        await visitor.press('/')
        await visitor.ask(question)
        await Promise.all([visitor.tab.waitForNavigation(), visitor.press('Enter')])
        expect(visitor.tab.url()).toBe(bundle.address(place, want))
      }
    }
    expect(visitor.faults).toEqual([])
  })
})
