import { describe, expect, test } from 'vitest'
import { page } from '../fake-site.ts'
import { needBrowser, open, run, setUpSearchExports, visit } from './search-exports.ts'

setUpSearchExports()

describe('in Chromium', { timeout: 120_000 }, () => {
  needBrowser()

  test('can be used with the keyboard only, and returns the focus', async () => {
    const list = Array.from({ length: 5 }, (_, index) => `<h2 id="h${index}">Key ${index}</h2><p>x</p>`).join('')
    const { outFile } = await run({ '/': page('home', `<button id="mine">mine</button><input id="other">${list}`) })
    const bundle = await open(outFile)
    const { go, press, ask, state, tab, faults } = await visit(bundle)
    await go(bundle.address('file', 'index.html'))
    // A slash typed into a field does not open the search.
    await tab.focus('#other')
    await press('/')
    expect(await state()).toMatchObject({ isOpen: false })
    await tab.focus('#mine')
    await press('/')
    expect(await ask('key')).toHaveLength(3)
    expect((await state()).chosen).toBe(0)
    await press('ArrowDown', 'ArrowDown')
    expect((await state()).chosen).toBe(2)
    await press('ArrowDown')
    expect((await state()).chosen).toBe(0)
    await press('ArrowUp')
    expect((await state()).chosen).toBe(2)
    const tree = JSON.stringify(await tab.accessibility.snapshot({ includeIframes: false }))
    expect(tree).toMatch(/"role":"dialog"[^[]*"name":"Search"[^[]*"modal":true/)
    expect(tree).toMatch(/"role":"combobox"[^}]*"name":"Search"[^}]*"expanded":true,"focused":true/)
    expect(tree.match(/"role":"option"/g)).toHaveLength(3)
    await press('Escape')
    expect(await state()).toMatchObject({ isOpen: false })
    expect(await tab.evaluate(() => document.activeElement?.id)).toBe('mine')
    await press('/')
    expect(await state()).toMatchObject({ isOpen: true, question: 'key' })
    await press('Enter')
    await tab.waitForFunction(() => /^#h\d$/.test(location.hash))
    expect(await state()).toMatchObject({ isOpen: false })
    // Enter before the hits are shown opens the best hit.
    await press('/')
    await tab.keyboard.type('key 4')
    await press('Enter')
    await tab.waitForFunction(() => location.hash === '#h4')
    expect(await state()).toMatchObject({ isOpen: false })
    expect(faults).toEqual([])
  })

  test('opens from the search field of the site if the scripts of the site do not run', async () => {
    const field = '<form role="search" action="/find"><input name="q" placeholder="Search"><button>Go</button></form>'
    const { outFile } = await run({ '/': page('home', field), '/find': page('find') })
    const bundle = await open(outFile)
    const { go, press, ask, state, tab, faults } = await visit(bundle)
    await go(bundle.address('file', 'index.html'))
    expect(await state()).toMatchObject({ isOpen: false, hasButton: false })
    await tab.focus('input[name=q]')
    expect(await state()).toMatchObject({ isOpen: false })
    await press('w')
    expect(await state()).toMatchObject({ isOpen: true, question: 'w' })
    expect(await ask('ords page')).toEqual(['find', 'home'])
    await press('Escape')
    await tab.click('form button')
    expect(await state()).toMatchObject({ isOpen: true })
    expect(tab.url()).toBe(bundle.address('file', 'index.html'))
    expect(faults).toEqual([])
  })
})
