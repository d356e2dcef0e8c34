import { appendFileSync, renameSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { waitFor } from '../../support/export-site.ts'
import { follow, log, pacing, project, setUpFollow, store } from './follow-set-up.ts'
import { toLine } from './numbered-lines.ts'

setUpFollow()

describe('a log of several projects', () => {
  const toHostLine = (i: number) => `${['docs', 'blog', 'new'][i % 3]}.example:443 ${toLine(i)}`
  const writeHosts = (from: number, to: number) => {
    for (let i = from; i < to; i++) appendFileSync(log, toHostLine(i))
  }
  const projectsByHost = new Map<string, typeof project>()
  const byHost = { projects: async () => projectsByHost }
  const count = async (id: string) =>
    (await store.visits.countUniqueVisitors(id, {}, { limit: 1, offset: 0 })).totals.total

  beforeEach(() => {
    projectsByHost.clear()
    for (const [id, domain] of [
      ['prj_1', 'docs.example'],
      ['prj_2', 'blog.example'],
    ] as const) {
      const ofDomain = { ...project, id }
      if (id !== project.id) store.projects.insert(ofDomain)
      projectsByHost.set(domain, ofDomain as typeof project)
    }
  })

  test('is counted for the projects of its hosts, each line once across restarts and rotations', async () => {
    writeHosts(0, 7)
    const { tally, unknownHosts } = await follow({ once: true, ...byHost })
    expect(tally).toMatchObject({ lines: 7, newVisitorDays: 5, filtered: { 'unknown-host': 2 } })
    expect([...unknownHosts]).toEqual([['new.example', 2]])
    expect((await follow({ once: true, ...byHost })).tally.lines).toBe(0)
    writeHosts(7, 9)
    renameSync(log, `${log}.1`)
    writeHosts(9, 12)
    expect((await follow({ once: true, ...byHost })).tally.lines).toBe(5)
    expect([await count('prj_1'), await count('prj_2')]).toEqual([4, 4])
  })

  test('counts for a site that is registered later', async () => {
    const stopping = new AbortController()
    const running = follow({ signal: stopping.signal, ...byHost })
    writeHosts(0, 3)
    await waitFor(async () => ((await count('prj_2')) === 1 ? true : undefined))
    projectsByHost.set('new.example', project)
    await setTimeout(2 * pacing.pollMs)
    writeHosts(3, 6)
    await waitFor(async () => ((await count('prj_1')) === 3 ? true : undefined))
    stopping.abort()
    expect((await running).tally).toMatchObject({ lines: 6, filtered: { 'unknown-host': 1 } })
  })

  test('is read again from the last position written for all projects, and nothing counts twice', async () => {
    writeHosts(0, 6)
    const stopping = new AbortController()
    const recordBatch: typeof store.visits.recordBatch = (projectId, batch, position) => {
      if (projectId === 'prj_1') return store.visits.recordBatch(projectId, batch, position)
      stopping.abort()
      throw new Error('database or disk is full')
    }
    const stopped = follow({ signal: stopping.signal, visits: { ...store.visits, recordBatch }, ...byHost })
    await expect(stopped).rejects.toThrow('were not written')
    expect([await count('prj_1'), await count('prj_2')]).toEqual([2, 0])
    expect((await follow({ once: true, ...byHost })).tally).toMatchObject({ lines: 6, newVisitorDays: 2 })
    expect([await count('prj_1'), await count('prj_2')]).toEqual([2, 2])
  })

  test('has a separate position from the same log followed for one project', async () => {
    writeHosts(0, 6)
    await follow({ once: true, ...byHost })
    expect((await follow({ once: true })).tally).toMatchObject({ lines: 6, newVisitorDays: 4 })
  })
})
