import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const maxBytes = 6 * 1024

test.each([
  { entry: 'index', create: 'createClient' },
  { entry: 'extensions', create: 'createExtensionsClient' },
])('$create for browsers has at most 6 KB, and imports no module of Node', async ({ entry, create }) => {
  const bundle = await rolldown({
    input: join(import.meta.dirname, `../../../spec/package/client/${entry}.ts`),
    platform: 'browser',
    tsconfig: false,
  })
  const { output } = await bundle.generate({ format: 'es', minify: true, comments: false })
  await bundle.close()
  const [{ code, imports, exports }] = output
  expect(output).toHaveLength(1)
  expect(imports).toEqual([])
  expect(exports).toContain(create)
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(maxBytes)
})
