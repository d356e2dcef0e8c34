import { expect, test } from 'vitest'
import { runQuire } from '../support/process.ts'

test.each<[string[], Record<string, string>, RegExp]>([
  [['serve', '--host', ''], {}, /'--host <address>' argument '' is invalid\. It must be an address of this machine/],
  [['serve'], { QUIRE_HOST: '' }, /'' from env 'QUIRE_HOST' is invalid\. It must be an address of this machine/],
  [['serve', '--data', ' '], {}, /'--data <folder>' argument ' ' is invalid\. It must be a folder/],
  [['serve'], { QUIRE_DATA: '' }, /It must be a folder, such as \/var\/lib\/quire\./],
  [['serve', '--node', ' '], {}, /'--node <name>' argument ' ' is invalid\. It must be a name of 1 to 255 characters/],
  [['visits', 'follow', 'access.log'], { QUIRE_NODE: 'x'.repeat(256) }, /It must be a name of 1 to 255 characters/],
  [['keys', 'list', '--data', ''], {}, /It must be a folder, such as \/var\/lib\/quire\./],
])('%j with %j is wrong usage, because an empty value would mean another place', async (args, env, message) => {
  const { code, stdout, stderr } = await runQuire(args, { env })
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)])
})
