import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWebhookSecret, signMessage } from '../../server/webhooks/signing.ts'
import { texts } from './shipped-documentation.ts'

// Runs the code of the page.

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-samples-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const page = new Map(texts).get('server/docs/pages/webhooks.md') ?? ''
const sample = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? ''

const [secret, other] = [createWebhookSecret(), createWebhookSecret()]
const body = '{"type":"webhook.test","name":"Größe"}'
const sign = (secrets: string[], at = Date.now()) => signMessage({ id: 'msg_1', body }, at, secrets)
const cases: readonly [what: string, headers: Record<string, string>, body: string, isValid: boolean][] = [
  ['its own signature', sign([secret]), body, true],
  ['two signatures after a rotation', sign([other, secret]), body, true],
  ['a signature with another secret', sign([other]), body, false],
  ['another body', sign([secret]), `${body} `, false],
  ['an old request', sign([secret], Date.now() - 600_000), body, false],
]

test.each(cases)('the TypeScript sample judges %s', async (_, headers, given, isValid) => {
  const file = join(folder, 'verify.ts')
  writeFileSync(file, sample('ts'))
  const run = `const { verify } = await import(${JSON.stringify(pathToFileURL(file).href)})
    console.log(verify(...${JSON.stringify([secret, headers, given])}))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', run], { encoding: 'utf8' })
  expect(output).toBe(`${isValid}\n`)
})

const hasPython = (() => {
  try {
    return execFileSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 9))'], {
      encoding: 'utf8',
    }).startsWith('True')
  } catch {
    return false
  }
})()

test.runIf(hasPython).each(cases)('the Python sample judges %s', (_, headers, given, isValid) => {
  const file = join(folder, 'verify.py')
  writeFileSync(
    file,
    `${sample('python')}\nimport json, sys\nsecret, headers, body = json.load(sys.stdin)\nprint(verify(secret, headers, body.encode()))\n`,
  )
  const output = execFileSync('python3', [file], { input: JSON.stringify([secret, headers, given]), encoding: 'utf8' })
  expect(output.trim()).toBe(isValid ? 'True' : 'False')
})
