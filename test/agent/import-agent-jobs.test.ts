import { expect, test } from 'vitest'
import type { AgentJob } from '../../server/agent/agent-job.ts'
import { importAgentJobs } from '../../server/agent/import-agent-jobs.ts'

const jobs: AgentJob[] = Array.from({ length: 4500 }, (_, i) => ({
  projectId: 'prj_1',
  id: `aj_${i}`,
  status: 'active',
  source: { repository: 'https://git.example.com/acme/docs', ref: null },
  model: 'writer-2',
  prLink: null,
  createdAt: 0,
  archivedAt: null,
}))

test('jobs are inserted in batches, in order, with turns for others in between', async () => {
  const batches: (readonly AgentJob[])[] = []
  let turns = 0
  const clock = setInterval(() => turns++, 1)
  const insertAll = (batch: readonly AgentJob[]) => {
    batches.push(batch)
    expect(turns > 0).toBe(batches.length > 1)
    turns = 0
    return batch.length
  }
  expect(await importAgentJobs({ insertAll }, jobs)).toBe(4500)
  clearInterval(clock)
  expect(batches.map(batch => batch.length)).toEqual([2000, 2000, 500])
  expect(batches.flat()).toEqual(jobs)
})

test('a batch that fails says how many jobs are imported, and what to do', async () => {
  let calls = 0
  const insertAll = (batch: readonly AgentJob[]) => {
    calls += 1
    if (calls === 3) throw new Error('database or disk is full')
    return batch.length
  }
  await expect(importAgentJobs({ insertAll }, jobs)).rejects.toThrow(
    'The import stopped after 4000 jobs: database or disk is full. Run the command again to import the rest.',
  )
})

test('an error of the first batch is thrown as it is', async () => {
  const error = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  const insertAll = () => {
    throw error
  }
  await expect(importAgentJobs({ insertAll }, jobs)).rejects.toBe(error)
})
