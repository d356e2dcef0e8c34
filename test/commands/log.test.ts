import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { escapeControls } from '../../server/commands/open-log.ts'
import { startQuire } from '../support/process.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-log-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function serve(...args: string[]): Promise<string> {
  const program = startQuire(['serve', '--port', '0', '--data', folder, ...args])
  const url = await program.read(output => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0])
  await fetch(`${url}/healthz`)
  await program.end('SIGTERM')
  return program.stdout()
}

test('a log that is no terminal has JSON lines with RFC 3339 times', async () => {
  const lines = (await serve())
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['listening', 'request', 'closed']))
  for (const { time } of lines) expect(time).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('a pretty log has one readable line each, with the same times', async () => {
  const lines = (await serve('--log-style', 'pretty')).trim().split('\n')
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines) expect(line).toMatch(/^\[?20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\]? +INFO/)
  expect(lines.join('\n')).toMatch(/request .*"path":"\/healthz"/)
})

test.each([
  { about: 'an escape sequence', message: 'a\u001b[2Jb', shown: 'a\\u001b[2Jb' },
  { about: 'a control character of eight bits', message: 'a\u009b2Jb', shown: 'a\\u009b2Jb' },
  { about: 'a change of the writing direction', message: 'a\u202eb', shown: 'a\\u202eb' },
  { about: 'a return to the beginning of the line', message: 'a\rb', shown: 'a\\rb' },
  { about: 'a backslash before the name of a control character', message: 'a\\u001bb', shown: 'a\\u001bb' },
  { about: 'the lines of a stack trace', message: 'a\n\tb', shown: 'a\n\tb' },
])('shows $about and does not send it to the terminal', ({ message, shown }) => {
  expect(JSON.parse(escapeControls(JSON.stringify({ message })))).toEqual({ message: shown })
})
