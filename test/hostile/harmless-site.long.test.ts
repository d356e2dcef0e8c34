import { expect, test, vi } from 'vitest'
import { only, page, run, testTimeoutMs } from './hostile-site.ts'

vi.setConfig({ testTimeout: testTimeoutMs })

test('the sites fail for what they do: a harmless one is exported', async () => {
  const { exported } = await run(only('/x', page('x')))
  expect(exported?.pageCount).toBe(2)
})
