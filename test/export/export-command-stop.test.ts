import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runQuire, startQuire } from '../support/process.ts'
import { startCommandSite } from './command-site.ts'
import { page } from './fake-site.ts'
import { type RunningServer, startServer } from './static-server.ts'

let folder = ''
let site: RunningServer
/** A site with a page that is never answered, so its export does not end by itself. */
let slow: RunningServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-command-'))
  site = await startCommandSite()
  slow = await startServer((request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html').end(page('home', '<a href="/never">x</a>'))
    else if (request.url !== '/never') response.writeHead(404).end()
  })
})

afterAll(async () => {
  await site.close()
  await slow.close()
  rmSync(folder, { recursive: true, force: true })
})

const env = { PUPPETEER_EXECUTABLE_PATH: '/nonexistent/chromium' }

test.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])('%s ends the export soon, and leaves no file', async signal => {
  const inside = mkdtempSync(join(folder, 'stop-'))
  const args = ['export', slow.origin.href, '-o', join(inside, 'x.zip'), '--work-folder', inside, '--ignore-robots']
  const program = startQuire(args, { env })
  await program.read(output => output.includes('Fetching'))
  const code = await program.end(signal)
  const stderr = program.stderr()
  expect([code, stderr]).toEqual([1, expect.stringContaining('The export was stopped; nothing was written.')])
  expect(readdirSync(inside)).toEqual([])
})

describe('the work folder of a killed export', () => {
  /** Starts an export that does not end until it is killed. */
  async function startSlow(inside: string) {
    const url = slow.origin.href
    const args = ['export', url, '-o', join(inside, 'x.zip'), '--work-folder', inside, '--ignore-robots']
    const before = readdirSync(inside)
    const program = startQuire(args, { env })
    await program.read(output => output.includes('Fetching'))
    const [name = ''] = readdirSync(inside).filter(name => name.startsWith('quire-export-') && !before.includes(name))
    const kill = () => program.end('SIGKILL')
    return { name, kill }
  }

  test('is deleted by the next export, which deletes nothing else', async () => {
    const inside = mkdtempSync(join(folder, 'kill-'))
    const foreign = {
      'quire-export-aaaaaa': ['owner.lock', 'mine.txt'],
      'quire-export-bbbbbb': ['mine.txt'],
      'quire-export-notes': ['owner.lock'],
    }
    for (const [name, files] of Object.entries(foreign)) {
      mkdirSync(join(inside, name))
      for (const file of files) writeFileSync(join(inside, name, file), '')
    }
    // Killed before it made its lock.
    mkdirSync(join(inside, 'quire-export-cccccc'))
    mkdirSync(join(inside, 'precious'))
    writeFileSync(join(inside, 'precious', 'owner.lock'), '')
    symlinkSync('precious', join(inside, 'quire-export-dddddd'))
    mkdirSync(join(inside, 'quire-export-eeeeee'))
    symlinkSync('../precious/owner.lock', join(inside, 'quire-export-eeeeee', 'owner.lock'))

    const killed = await startSlow(inside)
    await killed.kill()
    expect(readdirSync(join(inside, killed.name)).sort()).toEqual(['owner.lock', 'site'])
    const living = await startSlow(inside)
    const used = ['precious', 'quire-export-dddddd', 'quire-export-eeeeee', ...Object.keys(foreign), living.name].sort()
    try {
      expect(readdirSync(inside).sort()).toEqual(used)
      const args = ['export', site.origin.href, '-o', join(folder, 'after.zip'), '--work-folder', inside]
      expect(await runQuire(args, { env })).toMatchObject({ code: 0 })
      expect(readdirSync(inside).sort()).toEqual(used)
      expect(readdirSync(join(inside, living.name))).toContain('site')
      expect(readdirSync(join(inside, 'precious'))).toEqual(['owner.lock'])
    } finally {
      await living.kill()
    }
  }, 60_000)

  test('is deleted when several exports start at the same time', async () => {
    const inside = mkdtempSync(join(folder, 'many-'))
    const killed = await startSlow(inside)
    await killed.kill()
    const files = ['a', 'b', 'c'].map(name => join(folder, `many-${name}.zip`))
    const ended = await Promise.all(
      files.map(file => runQuire(['export', site.origin.href, '-o', file, '--work-folder', inside], { env })),
    )
    expect([ended.map(({ code }) => code), readdirSync(inside)]).toEqual([[0, 0, 0], []])
  }, 60_000)
})

test('an older file stays when the export fails', async () => {
  const file = join(folder, 'older.zip')
  writeFileSync(file, 'older')
  const { code } = await runQuire(['export', new URL('/gone/', site.origin).href, '-o', file], { env })
  expect(code).toBe(1)
  expect(readdirSync(folder)).toContain('older.zip')
  expect(readdirSync(folder)).not.toContain('older.zip.part')
})
