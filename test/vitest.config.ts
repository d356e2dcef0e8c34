import { resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

/** The usual suite; with `--mode long` the fault, hostile and soak runs instead. */
export default defineConfig(({ mode }) => {
  const long = mode === 'long'
  return {
    root: resolve(import.meta.dirname, '..'),
    test: {
      include: [long ? 'test/**/*.long.test.ts' : 'test/**/*.test.ts'],
      exclude: [...configDefaults.exclude, ...(long ? [] : ['**/*.long.test.ts'])],
      testTimeout: long ? 900_000 : 120_000,
      hookTimeout: 120_000,
      maxWorkers: 2,
      coverage: { provider: 'v8', include: ['server/**/*.ts', 'mock/**/*.ts'], reporter: ['text-summary', 'text'] },
    },
  }
})
