import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { drainSettings, readDrains } from '../../server/flags/drain-settings.ts'
import { parse } from './parse.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-drains-'))
const file = join(folder, 'vercel.txt')
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

const read = (...args: string[]) => readDrains(parse(drainSettings, ...args))

test('without flags, no service is answered', () => {
  expect(read()).toEqual({ vercelVerify: undefined, vercelSecrets: [], fastlyServices: [] })
})

test('flags and variables name the code, the secrets in the file, and the services', () => {
  writeFileSync(file, 'secret-1\nsecret-2\r\n\n')
  vi.stubEnv('QUIRE_VERCEL_SECRET_FILE', file)
  vi.stubEnv('QUIRE_FASTLY_SERVICES', 'SU1Z0isxPaozGVKXdv0eY, *')
  expect(read('--vercel-verify', '4f1c9a')).toEqual({
    vercelVerify: '4f1c9a',
    vercelSecrets: ['secret-1', 'secret-2'],
    fastlyServices: ['SU1Z0isxPaozGVKXdv0eY', '*'],
  })
})

test.each([
  ['--vercel-verify', 'a b', 'the code that Vercel shows'],
  ['--vercel-secret-file', join(folder, 'none'), 'cannot be read (ENOENT)'],
  ['--vercel-secret-file', '/dev/null', 'The file is empty'],
  ['--fastly-services', 'a,,b', 'Write ids of services'],
])('%s %s is refused: %s', (flag, value, reason) => {
  expect(() => read(flag, value)).toThrow(reason)
})
