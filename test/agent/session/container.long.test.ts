import { once } from 'node:events'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Confinement } from '../../../server/agent/agent-settings.ts'
import { RunError } from '../../../server/agent/run-end.ts'
import { openSession, type SessionOptions } from '../../../server/agent/session/agent-session.ts'
import { podmanFlags, removeStorage, runTool, whyNoContainers } from '../../deployment/containers.ts'
import { listLeft, prepareSession } from '../../support/agent-session.ts'
import { fakeAgent } from '../../support/fake-agents.ts'

const reason = whyNoContainers(['podman', 'runc'])
const project = resolve(import.meta.dirname, '../../..')

let root: string
let confinement: Confinement
beforeAll(() => {
  if (reason !== undefined) return
  root = mkdtempSync(join(tmpdir(), 'quire-root-'))
  for (const name of ['dev', 'etc', 'proc', 'sys', 'run', 'tmp', 'usr']) mkdirSync(join(root, name))
  for (const name of ['bin', 'lib', 'lib32', 'lib64', 'sbin'])
    if (lstatSync(`/${name}`, { throwIfNoEntry: false })?.isSymbolicLink())
      symlinkSync(readlinkSync(`/${name}`), join(root, name))
  const places = ['{work}', '{home}', '{socket}'].map(place => `--volume=${place}:${place}`)
  const programs = ['/usr', project].map(path => `--volume=${path}:${path}:ro`)
  // What this machine does not allow is not asked for: podman asks for the largest limits.
  const limits = ['--memory=256m', '--pids-limit=100', '--ulimit=nofile=4096:4096', '--ulimit=nproc=4000:4000']
  const run = ['run', '--rm', '-i', '--network=none', '--env-host', '--read-only', ...limits]
  // The files of this machine in place of an image, as the page about agents shows the command otherwise.
  const command = ['podman', ...podmanFlags, ...run, ...programs, ...places, '--workdir={work}', '--rootfs', root]
  confinement = { kind: 'command', command }
})
afterAll(() => {
  if (reason !== undefined) return
  removeStorage()
  rmSync(root, { recursive: true, force: true })
})

/** Gives one instruction. Podman takes a moment after its end to remove the container. */
async function runInContainer(options: SessionOptions): Promise<RunError | undefined> {
  try {
    const session = await openSession(options)
    await session.prompt('Fix the typo.').finally(() => session.close())
    return undefined
  } catch (error) {
    if (error instanceof RunError) return error
    throw error
  } finally {
    await expect.poll(() => listLeft(options.home)).toEqual([])
    expect((await runTool('podman', 'ps', '--all', '--quiet')).stdout).toBe('')
  }
}

describe.skipIf(reason !== undefined)(
  `agents in containers of podman${reason === undefined ? '' : `: ${reason}`}`,
  () => {
    test('an agent edits a page', async () => {
      const options = prepareSession(fakeAgent('ok'), confinement)
      expect(await runInContainer(options)).toBeUndefined()
      const text = 'edit /project/docs/a.md'
      expect(options.events).toContainEqual({ kind: 'permission', text, outcome: 'allowed' })
      expect(readFileSync(join(options.work, 'docs/a.md'), 'utf8')).toContain('This is the page.')
    })

    test('an agent reaches its folders and the gate, and nothing else', async () => {
      const model = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
      onTestFinished(() => void model.close())
      await once(model, 'listening')
      const { port } = model.address() as AddressInfo
      const endpoint = { url: `http://127.0.0.1:${port}/v1`, key: 'the-real-key' }
      const options = prepareSession(fakeAgent('look', String(port)), confinement, { endpoint })
      expect(await runInContainer(options)).toBeUndefined()
      const found = JSON.parse(options.events[0]?.text ?? '')
      expect(found).toMatchObject({ knowsKey: false, tcp: 'ECONNREFUSED', dns: 'failed', home: 'done' })
      expect(found.write.slice(0, 3)).toEqual(['EROFS', 'EROFS', 'EROFS'])
      expect(found.processes).toBeLessThan(6)
      expect(found.root).not.toContain('root')
      expect(found.model.map((answer: string) => answer.slice(0, 3))).toEqual(['200', '404', '404', '200'])
      expect(existsSync(join(options.work, '../x'))).toBe(false)
    })

    test.for(['slow', 'deaf'])('an agent that is cancelled ends with its container: %s', async mode => {
      const stopping = new AbortController()
      const options = prepareSession(fakeAgent(mode), confinement, { signal: stopping.signal })
      const onEvent = () => stopping.abort(new RunError('cancelled', 'Stopped.'))
      expect((await runInContainer({ ...options, onEvent }))?.code).toBe('cancelled')
    })

    test('a process that leaves the session of the agent ends with its container', async () => {
      expect(await runInContainer(prepareSession(fakeAgent('grandchild'), confinement))).toBeUndefined()
    })

    test('the container limits the memory', async () => {
      const error = await runInContainer(prepareSession(fakeAgent('memory'), confinement))
      expect([error?.code, error?.message]).toEqual(['agent_crashed', expect.stringContaining('SIGKILL')])
    })
  },
)
