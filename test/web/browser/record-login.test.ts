import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../../../server/web/browser/find-browser.ts'
import { recordLogin } from '../../../server/web/browser/record-login.ts'
import { page, startFakeSite } from '../../export/fake-site.ts'
import type { RunningServer } from '../../export/static-server.ts'

const executablePath = findBrowser()
let folder: string
let site: RunningServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-record-'))
  const known = {
    body: page('home', '<button>Go</button>'),
    headers: { 'set-cookie': 'sid=value-of-session-1; Max-Age=60' },
  }
  site = await startFakeSite({ '/': known, '/plain': page('plain'), '/form': page('form', '<input type="password">') })
})
afterAll(async () => {
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.skipIf(executablePath === null)('the recording of a login', () => {
  const start = (path: string, options: Partial<Parameters<typeof recordLogin>[0]>) =>
    recordLogin({
      browser: {
        executablePath: executablePath ?? '',
        profileFolder: join(folder, `profile${path.slice(1)}`),
        allowNoSandbox: true,
      },
      ...{
        site: new URL(path, site.origin),
        steps: null,
        done: Promise.resolve(),
        signal: AbortSignal.timeout(60_000),
      },
      readValue: async () => '',
      ...options,
    })

  // A headless browser shows no window; all else is as with one.
  test('ends when the person says so, with the state of the page of the site', async () => {
    const login = await start('/', { done: sleep(3000) })
    expect(login).toMatchObject({ landing: site.origin.href, hasPasswordField: false, storage: {}, headers: {} })
    expect(login.cookies).toEqual([
      expect.objectContaining({ name: 'sid', value: 'value-of-session-1', domain: '127.0.0.1' }),
    ])
  })

  test.each([
    ['/plain', 'it set no cookie and no local storage'],
    ['/form', 'the page /form still asks for a password'],
  ])('of %s is refused', async (path, why) => {
    await expect(start(path, { done: sleep(3000) })).rejects.toThrow(
      `Nobody is signed in to ${site.origin.host}: ${why}.`,
    )
  })

  test('names the step that fails', async () => {
    const steps = [{ line: 4, action: 'open', target: 'http://127.0.0.1:1/' }] as const
    await expect(start('/', { steps })).rejects.toThrow(
      'Line 4 of the steps (open http://127.0.0.1:1/) failed on the page ',
    )
  })
})
