import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runProgram } from '../support/program.ts'

const main = join(import.meta.dirname, '../../server/main.ts')
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const lines = Array.from(
  { length: 500 },
  (_, i) =>
    `10.0.${i >> 8}.${i & 255} - - [20/Nov/2026:10:11:12 +0000] "GET /guide HTTP/1.1" 200 512 "-" "${firefox}"\n`,
)

let data = ''
let project = ''
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'quire-pipe-'))
  await quire('init', '--yes', '--json')
  project = JSON.parse((await quire('projects', 'list', '--json')).stdout)[0].id
})
afterAll(() => rm(data, { recursive: true }))

function quire(...args: string[]) {
  return runProgram([main, ...args, '--data', data])
}

async function countPeople(): Promise<number> {
  const { stdout } = await quire('visits', 'show', '--project', project, '--json')
  return JSON.parse(stdout).totals.human
}

test('while a pipe is open and nothing arrives, what arrived before is on the disk', async () => {
  const args = [main, 'visits', 'import', '-', '--project', project, '--data', data]
  const importing = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'] })
  importing.stdin.write(lines.join(''))
  await expect.poll(countPeople, { timeout: 30_000, interval: 500 }).toBe(lines.length)
  importing.kill('SIGKILL')
  await once(importing, 'exit')
  expect(await countPeople()).toBe(lines.length)
}, 60_000)

test('a pipe that ends counts all its lines once', async () => {
  const { code, stdout } = await runProgram(
    [main, 'visits', 'import', '-', '--project', project, '--data', data, '--json'],
    { input: lines.join('') },
  )
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    lines: lines.length,
    pageViews: { human: lines.length },
    newVisitorDays: 0,
  })
})
