import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBrowser } from '../../server/web/browser/find-browser.ts'
import { runQuire } from '../support/process.ts'
import { startFakeSite } from './fake-site.ts'
import { readArchive, readEntry } from './read-archive.ts'

/** A page that scripts build only after a click on the wall before it, on this or an earlier visit. */
const walled = (name: string) => `<!doctype html><title>${name}</title><body><div id="root"></div><script>
const root = document.querySelector('#root')
const show = () => {
  root.innerHTML = '<main id="content"><h1>${name}</h1><p>${`The ${name} page explains how the pump is mounted and sealed. `.repeat(5)}</p><a href="/a">a</a> <a href="/b">b</a></main>'
}
if (localStorage.getItem('consent') === 'given') show()
else {
  root.innerHTML = '<p>We value your privacy.</p><button>Accept all</button>'
  root.querySelector('button').onclick = () => { localStorage.setItem('consent', 'given'); show() }
}
</script>`

test.skipIf(findBrowser() === null)('a wall that hides the content until a click is passed by steps', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-consent-'))
  const site = await startFakeSite({ '/': walled('home'), '/a': walled('first'), '/b': walled('second') })
  try {
    const [session, steps, file] = ['session.json', 'steps.jsonl', 'docs.zip'].map(name => join(folder, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(steps, '{"open": "/"}\n{"click": "text=Accept all"}\n{"wait": "#content"}\n')
    const login = await runQuire(['login', site.origin.href, '--session', session, '--steps', steps])
    expect(login).toMatchObject({ code: 0, stderr: '' })
    const { code, stderr } = await runQuire(['export', site.origin.href, '--session', session, '-o', file])
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    const entries = readArchive(file)
    for (const [name, title] of [
      ['index.html', 'home'],
      ['a.html', 'first'],
      ['b.html', 'second'],
    ] as const) {
      expect(readEntry(entries, name)).toContain(`<h1>${title}</h1>`)
      expect(readEntry(entries, name)).not.toContain('We value your privacy')
    }
  } finally {
    await site.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
