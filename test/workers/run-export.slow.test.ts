import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startThread } from '../../server/assets.ts'
import { listProcesses } from '../../server/base/processes.ts'
import { exportSite } from '../../server/export/export-site.ts'
import { defaultLimits, defaultProcessLimits } from '../../server/export/model/limits.ts'
import type { ExportCalls, ExportTask } from '../../server/export/model/options.ts'
import { createRunExport } from '../../server/workers/run-export.ts'
import { keepExportsBusy } from '../support/busy-exports.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { startQuire } from '../support/process.ts'

// Exports in a process of their own, as the server and the command run them. The tests stop, kill and occupy that process.

vi.setConfig({ testTimeout: 60_000 })

let folder: string
let stopping: AbortController

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-process-'))
  stopping = new AbortController()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function toTask(url: string, jobTimeoutMs = defaultLimits.jobTimeoutMs): ExportTask {
  return {
    domain: 'docs.example.com',
    origin: new URL(url),
    originAllowed: true,
    paths: null,
    deployment: 'air-gapped',
    features: { search: false, assistant: false, analytics: false, playground: false },
    version: null,
    format: 'zip',
    verify: 'static',
    outFile: join(folder, 'site.zip'),
    workFolder: join(folder, 'work'),
    limits: { ...defaultLimits, jobTimeoutMs },
    reuse: null,
  }
}

function start(task: ExportTask, limits: Partial<typeof defaultProcessLimits> = {}, calls: Partial<ExportCalls> = {}) {
  const runExport = createRunExport({ ...defaultProcessLimits, ...limits }, 10)
  const result = runExport(task, { onProgress() {}, signal: stopping.signal, ...calls })
  result.catch(() => {})
  return result
}

/** Returns the process of the only export that a process started, when it fetches from a site that never answers. */
function findExport(parent = process.pid): Promise<number> {
  return waitFor(async () =>
    readdirSync('/proc')
      .map(Number)
      .find(pid => pid > 0 && isExportOf(pid, parent)),
  )
}

function isExportOf(pid: number, parent: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const isChild = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
    return isChild && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('export-process')
  } catch {
    return false
  }
}

/** A site that never answers. */
async function startSilentSite(): Promise<string> {
  const server = createServer(() => {})
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const listGroup = (group: number) => listProcesses().filter(process => process.group === group)
const leftovers = async () => (await readdir(folder)).filter(name => !name.endsWith('.mjs'))

const { version: quireVersion } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))

test('the archive has the same bytes as one that is made in this process', async () => {
  const site = await startSite(5)
  onTestFinished(site.close)
  const stages = new Set<string>()
  const { sha256, pageCount } = await start(toTask(site.url), {}, { onProgress: ({ stage }) => stages.add(stage) })
  const { reuse: _, ...options } = { ...toTask(site.url), outFile: join(folder, 'here.zip'), startThread, quireVersion }
  const here = await exportSite({ ...options, onProgress() {}, signal: stopping.signal })
  expect({ sha256, pageCount }).toEqual({ sha256: here.sha256, pageCount: 5 })
  expect([...stages]).toEqual(['discover', 'fetch', 'archive'])
})

test('a failed export gives its error, with the code', async () => {
  await expect(start(toTask('http://127.0.0.1:9/'))).rejects.toMatchObject({ name: 'ExportError', code: 'unreachable' })
})

describe.runIf(process.platform === 'linux')('the process', () => {
  test('has a low priority, no secrets in its environment, and is the first to end when memory runs out', async () => {
    process.env.QUIRE_DATABASE = 'postgres://ada:secret@db.example.com/quire'
    process.env.AWS_SECRET_ACCESS_KEY = 'secret'
    onTestFinished(() => {
      delete process.env.QUIRE_DATABASE
      delete process.env.AWS_SECRET_ACCESS_KEY
    })
    const exporting = start(toTask(await startSilentSite()))
    const pid = await findExport()
    expect(getPriority(pid)).toBe(10)
    await waitFor(async () => (readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8') === '1000\n' ? true : undefined))
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
    expect(names.filter(text => text.includes('secret'))).toEqual([])
    expect(names.length).toBeLessThan(20)
    stopping.abort()
    await expect(exporting).rejects.toMatchObject({ code: 'aborted' })
  })

  test.each<[string, NodeJS.Signals]>([
    ['stalled', 'SIGSTOP'],
    ['crashed', 'SIGKILL'],
  ])('that %s ends the export within 5 seconds, and leaves nothing', async (code, signal) => {
    const exporting = start(toTask(await startSilentSite()), { stallMs: 3000 })
    const pid = await findExport()
    process.kill(pid, signal)
    const at = performance.now()
    await expect(exporting).rejects.toMatchObject({ code })
    expect(performance.now() - at).toBeLessThan(3000 + 5000)
    expect([listGroup(pid), await leftovers()]).toEqual([[], []])
  })

  test('that does nothing but compute is ended within 5 seconds after the time limit', async () => {
    process.env.NODE_OPTIONS = await keepExportsBusy(folder)
    onTestFinished(() => void delete process.env.NODE_OPTIONS)
    const at = performance.now()
    const exporting = start(toTask(await startSilentSite(), 4000))
    const pid = await findExport()
    await expect(exporting).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('4 seconds') })
    expect(performance.now() - at).toBeLessThan(4000 + 5000)
    expect([listGroup(pid), await leftovers()]).toEqual([[], []])
  })

  test('that needs more memory than allowed is ended', async () => {
    const exporting = start(toTask(await startSilentSite()), { memoryBytes: 64 * 1024 ** 2 })
    const pid = await findExport()
    await expect(exporting).rejects.toMatchObject({ code: 'memory', message: expect.stringContaining('64 MB') })
    expect([listGroup(pid), await leftovers()]).toEqual([[], []])
  })

  test('leaves signals to the server, which a service manager signals too', async () => {
    const exporting = start(toTask(await startSilentSite()))
    const pid = await findExport()
    await waitFor(async () => (readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8') === '1000\n' ? true : undefined))
    await new Promise(done => setTimeout(done, 500))
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid, signal)
    await new Promise(done => setTimeout(done, 500))
    expect(listGroup(pid)).not.toEqual([])
    stopping.abort()
    await expect(exporting).rejects.toMatchObject({ code: 'aborted' })
  })

  test('ends when it is told to stop, also if it does not listen', async () => {
    for (const signal of [undefined, 'SIGSTOP'] as const) {
      stopping = new AbortController()
      const exporting = start(toTask(await startSilentSite()))
      const pid = await findExport()
      if (signal) process.kill(pid, signal)
      const at = performance.now()
      stopping.abort()
      await expect(exporting).rejects.toMatchObject({ code: 'aborted' })
      expect(performance.now() - at).toBeLessThan(5000)
      expect([listGroup(pid), await leftovers()]).toEqual([[], []])
    }
  })

  test('ends with the command that started it, also while it does nothing but compute', async () => {
    const url = await startSilentSite()
    const command = startQuire(['export', url, '-o', join(folder, 'out.zip'), '--work-folder', folder], {
      env: { NODE_OPTIONS: await keepExportsBusy(folder) },
    })
    const pid = await findExport(command.child.pid)
    await new Promise(done => setTimeout(done, 2500))
    await command.end('SIGKILL')
    await waitFor(async () => (listGroup(pid).length === 0 ? true : undefined), 5000)
  })
})
