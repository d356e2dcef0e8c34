import { expect, test, vi } from 'vitest'
import { only, page, run, testTimeoutMs } from './hostile-site.ts'

vi.setConfig({ testTimeout: testTimeoutMs })

test('a harmless site is exported, so the hostile sites fail because of their content', async () => {
  const { exported } = await run(only('/x', page('x')))
  expect(exported?.pageCount).toBe(2)
})
