import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { findOpener, openInBrowser } from '../../server/commands/open-browser.ts'

const screen = { DISPLAY: ':0' }

test.each([
  ['a desktop of Linux', 'linux', screen, true, ['xdg-open']],
  ['Wayland', 'linux', { WAYLAND_DISPLAY: 'wayland-0' }, true, ['xdg-open']],
  ['macOS', 'darwin', {}, true, ['open']],
  ['Windows', 'win32', {}, true, ['rundll32', 'url.dll,FileProtocolHandler']],
  ['no screen', 'linux', {}, true, null],
  ['a pipe', 'darwin', {}, false, null],
  ['continuous integration', 'darwin', { CI: 'true' }, true, null],
  ['another machine', 'linux', { ...screen, SSH_CONNECTION: '10.0.0.1 50000 10.0.0.2 22' }, true, null],
] as const)('on %s, the opener is found or not', (_, platform, env, isTerminal, opener) => {
  expect(findOpener({ platform, env, isTerminal })).toEqual(opener)
})

test('the browser gets a private file with the address, and a missing opener is no failure', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-open-'))
  const seat = { platform: 'linux', env: { ...screen, PATH: `${folder}:/usr/bin:/bin` }, isTerminal: true } as const
  const file = join(folder, 'page.html')
  try {
    await openInBrowser('http://127.0.0.1:1/a', file, { ...seat, env: { ...screen, PATH: folder } })
    writeFileSync(
      join(folder, 'xdg-open'),
      `#!/bin/sh\ncp "$1" ${folder}/copied && mv ${folder}/copied ${folder}/opened\n`,
    )
    execFileSync('chmod', ['755', join(folder, 'xdg-open')])
    await openInBrowser('http://127.0.0.1:1/b?token=c&d=e', file, seat)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await vi.waitFor(async () =>
      expect(await readFile(join(folder, 'opened'), 'utf8')).toContain('url=http://127.0.0.1:1/b?token=c&amp;d=e"'),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
