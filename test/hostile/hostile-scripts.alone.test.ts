import { describe, expect, test, vi } from 'vitest'
import { findBrowser } from '../../server/web/browser/find-browser.ts'
import { app, limits, run, testTimeoutMs } from './hostile-site.ts'

vi.setConfig({ testTimeout: testTimeoutMs })

describe.skipIf(!findBrowser())('in a browser', { timeout: 100_000 }, () => {
  const given = { ...limits, pageTimeoutMs: 3000, jobTimeoutMs: 80_000 }
  /** Pages that may use up their time before the browser can read them. */
  const neverQuiet = new Set([
    'downloads',
    'windows',
    'a page that loads itself again',
    'a page that endlessly opens other pages',
    'a thousand requests',
  ])
  test.each<[string, string]>([
    [
      'endless dialogs',
      'for (let i = 0; i < 50; i++) { alert(i); confirm(i); prompt(i) } setInterval(() => { alert(1); confirm(2) }, 1)',
    ],
    [
      'dialogs of an empty frame',
      'const f = document.body.appendChild(document.createElement("iframe")); setInterval(() => f.contentWindow.alert(1), 1)',
    ],
    [
      'a page that prevents leaving it',
      'onbeforeunload = event => { event.preventDefault(); return "stay" }; addEventListener("pagehide", () => { for (const end = Date.now() + 500; Date.now() < end;); })',
    ],
    [
      'downloads',
      'setInterval(() => { const a = document.createElement("a"); a.href = URL.createObjectURL(new Blob(["x"])); a.download = "x.bin"; document.body.append(a); a.click() }, 20); location.href = "/download"',
    ],
    [
      'windows',
      'for (let i = 0; i < 100; i++) { open("/"); const a = document.createElement("a"); a.href = "/"; a.target = "_blank"; document.body.append(a); a.click() }',
    ],
    [
      'service workers that register more',
      'for (let i = 0; i < 30; i++) navigator.serviceWorker.register("/worker.js?" + i, { scope: "/" + i })',
    ],
    ['endless workers', 'setInterval(() => new Worker(URL.createObjectURL(new Blob(["for (;;);"]))), 50)'],
    ['endless history', 'setInterval(() => history.pushState({}, "", "/" + Math.random()), 1)'],
    ['a page that loads itself again', 'setTimeout(() => location.reload(), 50)'],
    ['a page that endlessly opens other pages', 'location.href = "/next/" + Math.random()'],
    ['a thousand requests', 'for (let i = 0; i < 1000; i++) fetch("/data/" + i).catch(() => {})'],
    ['a debugger', 'setInterval(() => { debugger }, 1)'],
    [
      'requests for fullscreen, print and permissions',
      'setInterval(() => { document.documentElement.requestFullscreen().catch(() => {}); print(); Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => {}) }, 5)',
    ],
    [
      'frames that contain the page itself',
      'for (let i = 0; i < 10; i++) { const f = document.createElement("iframe"); f.src = location.href; document.body.append(f) }',
    ],
  ])('%s', async (title, script) => {
    const outcome = await run(
      path => {
        if (path.startsWith('/worker.js'))
          return {
            body: 'self.oninstall = () => self.skipWaiting(); self.onactivate = () => { for (let i = 0; i < 9; i++) registration.update(); clients.claim() }; self.onfetch = event => event.respondWith(new Response("hacked"))',
            headers: { 'content-type': 'text/javascript', 'service-worker-allowed': '/' },
          }
        if (path === '/download')
          return {
            body: 'x',
            headers: {
              'content-disposition': 'attachment; filename=../../x',
              'content-type': 'application/octet-stream',
            },
          }
        if (path.startsWith('/data/')) return { body: 'x'.repeat(100_000), headers: { 'content-type': 'text/plain' } }
        if (path === '/' || path.startsWith('/next/')) return app(script)
        return undefined
      },
      { limits: { ...given, totalBytes: 200_000_000 } },
    )
    // Either the page was rendered, or, for some pages, the report says that no browser could show it.
    const home = outcome.exported?.entries.find(({ name }) => name === 'index.html')?.content.toString()
    expect(home, outcome.error?.message).toBeDefined()
    const note = '/ may be incomplete: its scripts build it, and no browser could show it.'
    if (!neverQuiet.has(title) || !outcome.exported?.report.notes.includes(note))
      expect(home).toContain('stay stay stay')
    expect(home).not.toContain('hacked')
    expect(outcome.exported?.report.unresolved).toEqual([])
    const names = outcome.exported?.names ?? []
    expect(names.filter(name => /x\.bin|worker\.js\?|\.\./.test(name))).toEqual([])
  })
})
