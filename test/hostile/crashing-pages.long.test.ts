import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { listTree } from '../../scripts/bench/export/process-tree.ts'
import { findBrowser } from '../../server/web/browser/find-browser.ts'
import { app, home, limits, run, testTimeoutMs } from './hostile-site.ts'

vi.setConfig({ testTimeout: testTimeoutMs })

describe.skipIf(!findBrowser())('in a browser', { timeout: 50_000 }, () => {
  const given = { ...limits, pageTimeoutMs: 3000, jobTimeoutMs: 40_000 }

  test.each<[string, string]>([
    ['an endless script', 'for (;;);'],
    ['endless promises', '(function next() { Promise.resolve().then(next) })()'],
    ['arrays that fill the memory', 'const kept = []; for (;;) kept.push(new Array(1e6).fill(Math.random()))'],
    [
      'strings that fill the memory',
      'let text = "x"; for (const kept = [];;) { kept.push(text = text.length < 1e8 ? text + text : "x"); text.charCodeAt(0) }',
    ],
    ['an endless document', 'for (;;) document.body.append(document.createElement("div"))'],
    ['an address that crashes a browser', 'for (let i = 0; i < 3; i++) location.href = "chrome://crash"; for (;;);'],
  ])('only the page is lost: %s', async (_, script) => {
    const { exported } = await run(
      path =>
        path === '/'
          ? home('<a href="/bad">x</a><a href="/good">y</a>')
          : path === '/bad'
            ? app(script)
            : path === '/good'
              ? app('', 'good')
              : undefined,
      { limits: given },
    )
    const good = exported?.entries.find(({ name }) => name === 'good.html')?.content.toString()
    expect(good).toContain('good good good')
    expect(exported?.report.notes).toContain(
      '/bad may be incomplete: its scripts build it, and no browser could show it.',
    )
  })

  test.skipIf(process.platform !== 'linux')(
    'only the page is lost, and no time: a crash of the tab',
    { timeout: 12_000 },
    async () => {
      const crashed = Promise.withResolvers<void>()
      let crashes = 0
      const { exported } = await run(
        (path, _, response) => {
          if (path === '/') return home('<a href="/bad">x</a><a href="/good">y</a>')
          if (path === '/bad')
            return app(
              'const request = new XMLHttpRequest(); request.open("GET", "/crash?" + performance.timeOrigin, false); request.send()',
            )
          if (path.startsWith('/crash')) {
            for (const pid of rendererProcesses()) process.kill(pid, 'SIGKILL')
            crashes += 1
            if (crashes === 2) crashed.resolve()
            return 'too late'
          }
          if (path !== '/good') return undefined
          // Answered after the crashes, by which the browser lost its tabs.
          void crashed.promise.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(app('', 'good')))
          return null
        },
        { limits: { ...given, pageTimeoutMs: 15_000 } },
      )
      expect(crashes).toBeGreaterThanOrEqual(2)
      const good = exported?.entries.find(({ name }) => name === 'good.html')?.content.toString()
      expect(good).toContain('good good good')
      expect(exported?.report.notes).toEqual([
        '/bad may be incomplete: its scripts build it, and no browser could show it.',
      ])
    },
  )
})

/** Lists the processes of the browser's tabs. */
function rendererProcesses(): number[] {
  return listTree(process.pid).filter(pid => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')
    } catch {
      return false
    }
  })
}
