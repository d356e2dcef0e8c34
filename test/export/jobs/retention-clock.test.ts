import { expect, test } from 'vitest'
import { alone } from '../../../server/base/exclusively.ts'
import { startRetention } from '../../../server/export/jobs/retention.ts'

// The age of exports comes from the clock, and a wrong clock would make all of them old.

test.each([
  ['is trusted', true, ['keys', 'exports']],
  ['was set forward', false, []],
])('while the clock %s, this is deleted by age', async (_, isTrusted, want) => {
  const asked: string[] = []
  const retention = startRetention({
    exportJobs: {
      find: () => undefined,
      findEnded: () => {
        asked.push('exports')
        return []
      },
      delete: () => 'unknown',
      deleteOldKeys: () => void asked.push('keys'),
    },
    bundles: { list: () => [], remove: () => {}, setAside: name => name },
    lost: { take: path => path },
    workFolder: 'work',
    retentionDays: 1,
    exclusively: alone,
    clock: { isTrusted: async () => isTrusted },
    now: Date.now,
    log: { info() {}, warn() {}, error: details => expect(details).toEqual({}) },
  })
  await retention.stop()
  expect(asked).toEqual(want)
})

test('a server that stops judges no other archive of the storage, and logs no error', async () => {
  const judged: string[] = []
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  const retention = startRetention({
    exportJobs: {
      find(jobId) {
        judged.push(jobId)
        resolve(retention.stop())
        return undefined
      },
      findEnded: () => [],
      delete: () => 'unknown',
      deleteOldKeys: () => {},
    },
    bundles: {
      list: () => [],
      remove: () => {},
      setAside: name => name,
      async removeAbandoned(_, judge) {
        for (const jobId of ['se_1', 'se_2']) await judge(`${jobId}.zip`)
        return 0
      },
    },
    lost: { take: path => path },
    workFolder: 'work',
    retentionDays: undefined,
    exclusively: alone,
    clock: { isTrusted: async () => true },
    now: Date.now,
    log: { info() {}, warn() {}, error: details => expect(details).toEqual({}) },
  })
  await stopped
  expect(judged).toEqual(['se_1'])
})
