import { expect, test } from 'vitest'
import { HeldVisits } from '../../../server/analytics/import/held-visits.ts'
import { recordViews } from '../../../server/analytics/import/import-log.ts'
import { LogReader } from '../../../server/analytics/import/log-reader.ts'
import type { ViewBatch } from '../../../server/analytics/view-batch.ts'
import { generateAccessLog } from '../../../server/commands/demo/access-log.ts'
import { fixedKeys, oneProject } from './read-log.ts'

const log = [...generateAccessLog({ seed: 12, lines: 2000, from: 20_700, to: 20_703, paths: ['/', '/a', '/b'] })]

/** Reads the log in small batches, which `visits` gets. */
async function read(visits: Pick<HeldVisits, 'recordBatch'>): Promise<LogReader> {
  const now = Date.UTC(2026, 10, 20, 12)
  const reader = new LogReader({ projects: oneProject, keys: fixedKeys, now, viewsPerBatch: 100 })
  reader.push(Buffer.from(log.join('\n')))
  reader.endFile()
  await recordViews(reader, visits)
  return reader
}

/** Keeps the batches, and counts each as one new visitor. */
class Recorder {
  readonly batches: ViewBatch[] = []
  recordBatch(_: string, batch: ViewBatch) {
    this.batches.push(batch)
    return { newVisitorDays: 1, newViews: 1, tooOldViews: 2 }
  }
}

test('held views are recorded as if they had not been held', async () => {
  const direct = new Recorder()
  const directReader = await read(direct)
  const held = new HeldVisits({ mustHold: true })
  const reader = await read(held)
  expect(reader.tally.newVisitorDays).toBe(0)
  const recorder = new Recorder()
  await held.record(reader, recorder)
  expect(recorder.batches.length).toBeGreaterThan(3)
  expect(recorder.batches).toEqual(direct.batches)
  expect(reader.tally).toEqual(directReader.tally)
})

test('too many views are not held, and the logs must be read again', async () => {
  const held = new HeldVisits({ mustHold: false, maxViews: 300 })
  const reader = await read(held)
  expect(held.isComplete).toBe(false)
  const recorder = new Recorder()
  await held.record(reader, recorder)
  expect(recorder.batches).toEqual([])
})

test('too many views of a log that cannot be read again are refused, with the remedy', async () => {
  await expect(read(new HeldVisits({ mustHold: true, maxViews: 300 }))).rejects.toThrow(
    /may have 300 views at most.* Nothing was recorded\. Save it to a file/,
  )
})
