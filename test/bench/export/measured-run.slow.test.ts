import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runMeasured } from '../../../scripts/bench/export/measured-run.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-measured-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (script: string, timeoutMs: number) =>
  runMeasured(process.execPath, ['-e', script], { logFile: join(folder, 'log'), timeoutMs, folder })

test('a program is measured: output, exit code, messages, memory', async () => {
  const script =
    'const kept = Buffer.alloc(80e6, 1); console.log("out"); console.error("note"); setTimeout(() => process.exit(3), 700, kept)'
  const { exitCode, stdout, wallSeconds, peakBytes } = await run(script, 20_000)
  expect([exitCode, stdout, readFileSync(join(folder, 'log'), 'utf8')]).toEqual([3, 'out\n', 'note\n'])
  expect(wallSeconds).toBeGreaterThan(0.7)
  if (process.platform === 'linux') expect(peakBytes).toBeGreaterThan(80e6)
})

test('a program that runs too long is ended with its descendants', { timeout: 30_000 }, async () => {
  const script = `
    process.on('SIGTERM', () => {})
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    console.log(child.pid)
    setInterval(() => {}, 1000)`
  const { exitCode, stdout } = await run(script, 3000)
  expect(exitCode).toBeNull()
  expect(Number(stdout)).toBeGreaterThan(1)
  if (process.platform !== 'linux') return
  // An ended process keeps its id until init has read its exit code, and a signal takes effect a moment after it was sent.
  await expect.poll(() => readState(stdout.trim())).toMatch(/^(gone|Z|X)$/)
})

test('a missing program is an error', async () => {
  const options = { logFile: join(folder, 'log'), timeoutMs: 5000, folder }
  const outcome = await runMeasured('/no/such/program', [], options).catch(error => String(error))
  expect(typeof outcome === 'string' || outcome.exitCode !== 0).toBe(true)
})

/** Returns the state of a process on Linux, such as R; gone = there is no such process. */
function readState(pid: string): string {
  const file = `/proc/${pid}/stat`
  return existsSync(file) ? (/\) (\w)/.exec(readFileSync(file, 'utf8'))?.[1] ?? '') : 'gone'
}
