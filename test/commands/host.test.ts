import { expect, test } from 'vitest'
import { startOrExplain } from '../../server/commands/serve.ts'

test.each([
  [{ code: 'ENOTFOUND', hostname: 'nope.invalid' }, 'nope.invalid'],
  [{ code: 'EADDRNOTAVAIL', address: '192.0.2.1', port: 8787 }, '192.0.2.1'],
])('%j names the address that --host gave', async (fault, named) => {
  const start = () => Promise.reject(Object.assign(new Error('listen'), fault))
  await expect(startOrExplain(start)).rejects.toThrow(
    `${named} is not an address of this machine. Choose another with --host.`,
  )
})
