import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { checkRatio, describeCheck } from '../../../scripts/bench/export/check-cost.ts'
import { pathInBundle, writeRecordingBrowser } from '../../../scripts/bench/export/recording-browser.ts'

test('an address that the check opened is a place and a path in the bundle, or an address of the origin', () => {
  expect(pathInBundle('http://localhost/a/')).toEqual({ place: 'root', path: 'a/' })
  expect(pathInBundle('http://localhost/any/sub/folder/a.html')).toEqual({ place: 'folder', path: 'a.html' })
  expect(pathInBundle('file:///w/bundle/a/index.html')).toEqual({ place: 'file', path: 'a/index.html' })
  expect(pathInBundle('http://127.0.0.1:8787/a/')).toBeNull()
})

test('the cost of the check is that of the default export without the static one, beside the bare script', () => {
  const seconds = { default: { wall: 12, cpu: 20 }, static: { wall: 2, cpu: 5 }, bare: { wall: 8, cpu: 10 } }
  const opened = ['http://127.0.0.1:1/', 'http://localhost/', 'file:///w/bundle/index.html']
  const use = { opened, commands: { 'Runtime.evaluate': 7 }, bytes: { sent: 1e6, received: 2e6 } }
  const cost = { seconds, use, rounds: 3 }
  expect([checkRatio(cost, 'wall'), checkRatio(cost, 'cpu')]).toEqual([1.25, 1.5])
  expect(describeCheck(cost).join('\n')).toContain('3 pages opened (1 origin, 1 root, 0 folder, 1 file), 7 evaluations')
})

test('the recording browser passes on its pipe, and counts the commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-recording-'))
  try {
    // Stands in for the browser: answers each command with one message.
    const echo = join(folder, 'echo-headless-shell')
    const answer = `require('fs').createReadStream('', { fd: 3 }).on('data', d => require('fs').writeSync(4, '{"id":1}\\0')).on('close', () => process.exit())`
    writeFileSync(echo, `#!${process.execPath}\n${answer}\n`, { mode: 0o755 })
    vi.stubEnv('PUPPETEER_EXECUTABLE_PATH', echo)
    const { executable, read } = writeRecordingBrowser(folder)
    const commands =
      '{"method":"Page.navigate","params":{"url":"http://localhost/"},"id":1}\0{"method":"Browser.close","id":2}\0'
    const ask = `const c = require('child_process').spawn(${JSON.stringify(executable)}, { stdio: ['ignore', 1, 2, 'pipe', 'pipe'] }); c.stdio[3].end(${JSON.stringify(commands)}); c.stdio[4].on('data', d => process.stdout.write(d))`
    expect(execFileSync(process.execPath, ['-e', ask], { encoding: 'utf8' })).toContain('{"id":1}\0')
    expect(read()).toMatchObject({
      opened: ['http://localhost/'],
      commands: { 'Page.navigate': 1, 'Browser.close': 1 },
    })
  } finally {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  }
})
