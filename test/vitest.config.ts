import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { listPostgresTests, listTests, type ProjectName } from './projects.ts'
import { SlowFirst } from './slow-first.ts'
import { seed } from './support/random.ts'

// Each thread of vitest reads this variable, so that all use the same random seed.
process.env.QUIRE_TEST_SEED = String(seed)
// Each export is a process, and so is each program of a test. They need not compile the same code again.
process.env.NODE_COMPILE_CACHE ??= resolve(import.meta.dirname, '../node_modules/.cache/compiled')
// As root, Chromium has no sandbox. The programs that the tests start read this variable.
if (process.getuid?.() === 0) process.env.QUIRE_ALLOW_NO_SANDBOX ??= '1'
console.log(`Random input is made from QUIRE_TEST_SEED=${seed}.`)

/**
 * The usual projects (unit, app, browser: see projects.ts); with `--mode added` the slow ones, and those that need PostgreSQL, S3 or
 * nginx; with `--mode long` the long browser, fault, hostile and soak runs.
 * Of these, the files that need both cores, or measure how long others wait, run after all others and one at a time.
 */
export default defineConfig(({ mode }) => {
  const tests = listTests()
  const project = (name: ProjectName, options = {}) => ({
    extends: true,
    test: { name, include: tests[name], ...options },
  })
  const usual = [
    project('unit', { setupFiles: ['test/support/refuse-programs.ts'] }),
    project('app'),
    project('browser'),
  ]
  const added = [
    project('slow'),
    project('services'),
    {
      extends: true as const,
      test: {
        name: 'postgres',
        include: listPostgresTests(),
        env: { QUIRE_TEST_STORE: 'postgres' },
        runner: 'test/support/postgres/skipping-runner.ts',
      },
    },
  ]
  const long = {
    testTimeout: 900_000,
    hookTimeout: 900_000,
    env: { QUIRE_TEST_LONG: '1' },
    runner: 'test/support/deadline-runner.ts',
  }
  const longest = [
    project('long', { ...long, sequence: { groupOrder: 0 } }),
    project('alone', { ...long, maxWorkers: 1, sequence: { groupOrder: 1 } }),
  ]
  return {
    root: resolve(import.meta.dirname, '..'),
    test: {
      globalSetup: ['test/support/postgres/global-setup.ts', 'test/support/s3/global-setup.ts'],
      projects: mode === 'long' ? longest : mode === 'added' ? added : usual,
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // A machine that does other work needs longer than the usual second.
      expect: { poll: { timeout: 20_000 } },
      // Many files wait for browsers, timers and databases: two at once leave two cores idle for part of the time.
      maxWorkers: 3,
      // Loading the modules of Quire again for each of 480 files took a sixth of the CPU time. The long runs measure memory.
      isolate: mode === 'long',
      sequence: { sequencer: SlowFirst },
      coverage: { provider: 'v8', include: ['server/**/*.ts', 'mock/**/*.ts'], reporter: ['text-summary', 'text'] },
    },
  }
})
