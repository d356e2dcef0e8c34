import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { hashSecret } from '../../server/tenancy/sign-in.ts'
import { main, startServe } from '../support/process.ts'
import { runProgram, startProgram } from '../support/program.ts'

let folder: string
let data: string
let store: Store

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-serve-link-'))
  data = join(folder, 'data')
  store = openStore(data)
})
afterAll(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const findPerson = (link: string) => {
  const token = new URL(link).searchParams.get('token') ?? ''
  return store.signInLinks.find(hashSecret(token), Date.now())
}

/** Starts a server whose standard error is a terminal, and its standard output the file `serve.log`. */
function serveOnTerminal(...args: string[]) {
  const [log, pid] = [join(folder, 'serve.log'), join(folder, 'serve.pid')]
  writeFileSync(log, '')
  const serve = [process.execPath, main, 'serve', '--port', '0', '--drain-seconds', '0', '--data', data, ...args]
  const command = `echo $$ > ${pid}; exec ${serve.join(' ')} > ${log}`
  const terminal = startProgram(['--quiet', '--return', '--command', command, '/dev/null'], { program: 'script' })
  return {
    output: terminal.output,
    read: terminal.read,
    readLog: () => readFileSync(log, 'utf8'),
    /** Ends the server, and returns its exit code. */
    async end() {
      process.kill(Number(readFileSync(pid, 'utf8')), 'SIGTERM')
      return (await terminal.ended).code
    },
  }
}

const hasTerminal = (await runProgram(['--version'], { program: 'script' }).catch(() => null))?.code === 0

describe('the link that serve prints', { timeout: 30_000 }, () => {
  test.skipIf(!hasTerminal)('is on the terminal only, and works', async () => {
    const server = serveOnTerminal()
    const line =
      /^Dashboard: (http:\/\/127\.0\.0\.1:\d+\/dashboard\/sign-in\?token=[\w-]{43}) \(works once, for 15 minutes\)\r\n$/
    const link = await server.read(output => line.exec(output)?.[1])
    expect(await findPerson(link)).toMatchObject({ name: 'operator', organizationId: null })
    expect(await server.end()).toBe(0)
    expect(server.output()).toMatch(line)
    expect(server.readLog()).toContain('"listening"')
    expect(server.readLog()).not.toContain('sign-in')
  })

  test.skipIf(!hasTerminal)('is not printed with --no-dashboard', async () => {
    const before = (await store.auditLog.list({ limit: 1 }))[0]?.id
    const server = serveOnTerminal('--no-dashboard')
    await expect.poll(server.readLog, { timeout: 20_000 }).toContain('"listening"')
    await fetch(`${/"url":"(.+?)"/.exec(server.readLog())?.[1]}/healthz`)
    expect(await server.end()).toBe(0)
    expect(server.output()).toBe('')
    expect((await store.auditLog.list({ limit: 1 }))[0]?.id).toBe(before)
  })

  test('is not made without a terminal', async () => {
    const before = (await store.auditLog.list({ limit: 1 }))[0]?.id
    const server = await startServe(['--data', data])
    await fetch(`${server.url}/healthz`)
    await server.end('SIGTERM')
    expect(server.output()).not.toContain('sign-in')
    expect((await store.auditLog.list({ limit: 1 }))[0]?.id).toBe(before)
  })
})
