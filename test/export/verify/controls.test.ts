import { beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

const words = Array.from({ length: 70 }, (_, index) => `word${index}`).join(' ')

/** An app as frameworks build them: it takes over the page, and text is in it only while its control is pressed. */
const app = `
  const data = await (await fetch('/names.json')).json()
  for (const button of document.querySelectorAll('button')) {
    button.__props = data
    const box = button.parentElement
    button.addEventListener('click', () => {
      if (button.className === 'more') {
        const isOpen = button.getAttribute('aria-expanded') === 'true'
        button.setAttribute('aria-expanded', String(!isOpen))
        if (isOpen) box.querySelector('.inside').remove()
        else box.insertAdjacentHTML('beforeend', '<div class="inside">Hidden answer of ' + document.title + '</div>')
      }
      if (button.className === 'wide') document.body.classList.toggle('wide')
      if (box.className !== 'bar') return
      for (const other of box.children) other.classList.toggle('on', other === button)
      box.nextElementSibling.textContent = button.textContent + ' sample of ' + document.title
    })
  }`

const more = (name: string) => `<div><button class="more" aria-expanded="false">${name}</button></div>`

function doc(name: string, markup: string): string {
  const bar = `<header><a href="/">home</a><a href="/a">a</a><a href="/b">b</a>${more('Menu')}</header>`
  return `<!doctype html><html><head><title>${name}</title></head><body>${bar}<main><h1>${name}</h1><p>${words}</p>${markup}</main><script type="module" src="/app.js"></script></body></html>`
}

const tabs = (name: string) =>
  `<div><div class="bar"><button class="on">One</button><button>Two</button></div><div>One sample of ${name}</div></div>`

const files = { '/app.js': app, '/names.json': '{}' }

test('text that an app shows only after a click is in the page, and its controls work where its scripts do not run', {
  timeout: 60_000,
}, async () => {
  const server = await startFakeSite({
    '/': doc('home', ''),
    '/a': doc('alpha', tabs('alpha') + more('Why?')),
    '/b': doc('beta', tabs('beta') + more('Why?')),
    ...files,
  })
  try {
    const { entries, report } = await exportFakeSite(server.origin, { verify: 'full' })
    expect(report.scripts.mode).toBe('guarded')
    const page = readEntry(entries, 'b.html')
    expect(page).toMatch(/<template data-quire-state="0 button Two" data-quire-up="2">.*?Two sample of beta/)
    expect(page).toMatch(
      /<template data-quire-state="0 button Why\?" data-quire-up="1" data-quire-toggles>.*?answer of beta/,
    )
    // The menu is the same on all pages. A page without controls in its content is not opened for it.
    expect(readEntry(entries, 'index.html')).toContain('data-quire-state="0 button Menu"')
    expect(report.differences).toEqual([])
  } finally {
    await server.close()
  }
})

test('the report names each control that worked at the origin and does nothing in a place', {
  timeout: 60_000,
}, async () => {
  const server = await startFakeSite({
    '/': doc('home', `<div><button class="wide">Wide view</button></div>`),
    '/a': doc('alpha', more('Why?')),
    ...files,
  })
  try {
    const { report } = await exportFakeSite(server.origin, { verify: 'full' })
    const what = 'controls that worked at the origin do nothing: "Wide view"'
    expect(report.differences).toEqual([
      { page: 'index.html', place: 'folder', what },
      { page: 'index.html', place: 'file', what },
    ])
  } finally {
    await server.close()
  }
})
