import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FollowedState, followedStates } from '../../server/base/measures.ts'
import { openStore } from '../../server/store/store.ts'
import { startFollowingLogs } from '../../server/workers/follow-logs.ts'
import { toLine } from '../analytics/follow/numbered-lines.ts'
import { waitFor } from '../support/export-site.ts'
import { createOrganization } from '../support/server.ts'

test('a thread that fails is started again until it works', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-follow-logs-'))
  const dataFolder = join(folder, 'data')
  const file = join(folder, 'access.log')
  const said: string[] = []
  const say = (_: object, message: string) => void said.push(message)
  // A file has the name of the data folder, so the folder cannot be created.
  writeFileSync(dataFolder, '')
  const logs = [{ file, projectId: 'prj_unknown' }]
  const setup = { dataFolder, logs, graceMs: 100, overlapMs: 0, log: {} }
  const states: FollowedState[] = []
  const endListening = followedStates.listen(state => states.push(state))
  const following = startFollowingLogs({ setup, log: { info: say, warn: say, error: say }, firstPauseMs: 50 })
  try {
    await waitFor(async () => (said.length >= 2 ? true : undefined))
    expect(said[0]).toBe('the thread that follows logs ended; it restarts in 0.05 s')
    expect(said[1]).toBe('the thread that follows logs ended; it restarts in 0.1 s')
    rmSync(dataFolder)
    const store = openStore(dataFolder)
    const { projectId } = await createOrganization(store)
    // Each thread gets a copy of the setup when it starts, so the next thread sees this change.
    logs[0] = { file, projectId }
    appendFileSync(file, toLine(0) + toLine(1))
    await waitFor(async () => {
      const { totals } = await store.visits.countUniqueVisitors(projectId, {}, { limit: 1, offset: 0 })
      return totals.total === 2 ? true : undefined
    })
    store.close()
    const state = await waitFor(async () => states.find(({ lines }) => lines === 2))
    expect(state).toMatchObject({ log: file, views: 2, aheadBytes: 0 })
  } finally {
    endListening()
    await following.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('without logs, no thread is started', async () => {
  const refuse = () => expect.unreachable()
  const setup = { dataFolder: '/nowhere', logs: [], graceMs: 0, overlapMs: 0, log: {} }
  await startFollowingLogs({ setup, log: { info: refuse, warn: refuse, error: refuse } }).stop()
})
