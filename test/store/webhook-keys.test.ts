import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSecretBox } from '../../server/store/webhook-keys.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-webhook-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
let keys = 0
const hexKey = () => Buffer.alloc(32, ++keys).toString('hex')

test('a secret is read with the key in the data folder that encrypted it, which only its user can read', () => {
  const sealed = openSecretBox(folder, undefined).seal('wh_1', secret)
  expect(sealed.toString('latin1')).not.toContain(secret.slice(6))
  expect(openSecretBox(folder, undefined).open('wh_1', sealed)).toBe(secret)
  expect(openSecretBox(folder, undefined).seal('wh_1', secret)).not.toEqual(sealed)
  expect(statSync(join(folder, 'webhook.key')).mode & 0o777).toBe(0o600)
})

test('a secret is not read for another webhook, nor when it was changed', () => {
  const box = openSecretBox(folder, undefined)
  const sealed = box.seal('wh_1', secret)
  expect(() => box.open('wh_2', sealed)).toThrow('authenticate')
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
  expect(() => box.open('wh_1', sealed)).toThrow('authenticate')
})

test('servers with the same file read the secrets of each other, also those of earlier keys in it', () => {
  const [old, next] = [hexKey(), hexKey()]
  const file = join(folder, 'shared.key')
  writeFileSync(file, old)
  const box = openSecretBox(join(folder, 'a'), file)
  const sealed = box.seal('wh_1', secret)
  writeFileSync(file, `${next}\n${old}\n`)
  expect(openSecretBox(join(folder, 'b'), file).open('wh_1', sealed)).toBe(secret)
  expect(box.open('wh_1', box.seal('wh_1', secret))).toBe(secret)
  writeFileSync(file, next)
  expect(() => box.open('wh_1', sealed)).toThrow(/does not have the key .* wh_1\. .* npx quire webhooks rotate wh_1$/)
})

test('the binary key of a data folder can become the file of several servers', () => {
  const sealed = openSecretBox(folder, undefined).seal('wh_1', secret)
  const copy = join(folder, 'copy.key')
  writeFileSync(copy, readFileSync(join(folder, 'webhook.key')))
  expect(openSecretBox(join(folder, 'other'), copy).open('wh_1', sealed)).toBe(secret)
})
