import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { someOf } from '../support/rounds.ts'
import { fileParsers } from './file-parsers.ts'
import type { GrowthNote } from './growth-worker.ts'
import { pageParsers } from './page-parsers.ts'

/** Max time for all lengths of one text. The usual time is a tenth of a second. */
const stuckMs = 120_000

/** Lists the texts for which the time of a parser grows more than linearly, and the text at which it does not return. */
function listFaults(name: string): Promise<string[]> {
  const worker = new Worker(new URL('growth-worker.ts', import.meta.url), { workerData: name })
  const faults: string[] = []
  let current = 'nothing'
  return new Promise((done, failed) => {
    const timer = setTimeout(() => {
      faults.push(`${current}: no end within ${stuckMs} ms`)
      void worker.terminate()
    }, stuckMs)
    worker.on('message', ({ kind, text }: GrowthNote) => {
      if (kind === 'fault') return faults.push(text)
      current = text
      return timer.refresh()
    })
    worker.on('error', failed)
    worker.on('exit', () => {
      clearTimeout(timer)
      done(faults)
    })
  })
}

test('3 MB of foreign text take at most six times as long as 750 KB', { timeout: 1_800_000 }, async () => {
  const names = someOf(Object.keys({ ...pageParsers, ...fileParsers }))
  const faults: string[] = []
  const measureNext = async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift())
      for (const fault of await listFaults(name)) faults.push(`${name}: ${fault}`)
  }
  // Two at once: each worker measures its own CPU time.
  await Promise.all([measureNext(), measureNext()])
  expect(faults).toEqual([])
})
