import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type UniqueVisitorCounter,
  type UniqueVisitors,
  type VisitorCounts,
  VisitorKeyError,
  type VisitRecorder,
} from '../analytics/unique-visitors.ts'
import type { ViewBatch } from '../analytics/view-batch.ts'
import type { Database } from './database.ts'
import { openSecret } from './secret-file.ts'

/** `pages.key` of the whole site. */
const site = 0
const visitorBytes = 16

interface Range {
  projectKey: number
  dateFrom: number
  dateTo: number
}

export function openVisits(database: Database): UniqueVisitorCounter & VisitRecorder {
  const findProject = database.prepare<{ id: string }, { key: number }>('SELECT key FROM projects WHERE id = @id')
  const findPage = database.prepare<[number, string], { key: number }>(
    'SELECT key FROM pages WHERE project_key = ? AND path = ?',
  )
  const insertPage = database.prepare<[number, string]>('INSERT INTO pages (project_key, path) VALUES (?, ?)')
  // Positional, unlike the others: it runs twice a view.
  const insertSeen = database.prepare<[number, number, number, Uint8Array, number]>(
    `INSERT INTO seen (project_key, day, page_key, visitor, mask) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const addMask = database.prepare<[number, number, number, Uint8Array, number]>(
    `UPDATE seen SET mask = 3
     WHERE project_key = ? AND day = ? AND page_key = ? AND visitor = ? AND mask <> ?`,
  )
  const findAnySeen = database.prepare('SELECT 1 FROM seen LIMIT 1')
  const countSite = database.prepare<Range, VisitorCounts>(
    `SELECT ifnull(sum(human), 0) AS human, ifnull(sum(ai), 0) AS ai, count(*) AS total FROM (
       SELECT max(mask & 1) AS human, max(mask >> 1) AS ai FROM seen
       WHERE project_key = @projectKey AND day >= @dateFrom AND day < @dateTo AND page_key = ${site}
       GROUP BY visitor)`,
  )
  const countPages = database.prepare<Range & { limit: number; offset: number }, VisitorCounts & { path: string }>(
    `SELECT pages.path, sum(human) AS human, sum(ai) AS ai, count(*) AS total FROM (
       SELECT page_key, max(mask & 1) AS human, max(mask >> 1) AS ai FROM seen
       WHERE project_key = @projectKey AND day >= @dateFrom AND day < @dateTo AND page_key <> ${site}
       GROUP BY page_key, visitor) JOIN pages ON pages.key = page_key
     GROUP BY page_key ORDER BY total DESC, pages.path LIMIT @limit OFFSET @offset`,
  )

  function record(projectId: string, batch: ViewBatch): number {
    const project = findProject.get({ id: projectId })
    if (!project) throw new Error(`There is no project ${projectId}.`)
    const pages = batch.paths.map(
      path => findPage.get(project.key, path)?.key ?? Number(insertPage.run(project.key, path).lastInsertRowid),
    )
    if (batch.visitors.length % visitorBytes !== 0) throw new RangeError('A visitor of the batch has not 16 bytes.')
    let newVisitorDays = 0
    for (let i = 0; i < batch.length; i++) {
      const day = batch.days[i] as number
      const mask = batch.masks[i] as number
      const who = (batch.visitorOf[i] as number) * visitorBytes
      const visitor = batch.visitors.subarray(who, who + visitorBytes)
      newVisitorDays += add(project.key, day, site, visitor, mask)
      add(project.key, day, pages[batch.pathOf[i] as number] as number, visitor, mask)
    }
    return newVisitorDays
  }

  /** 1 when the visitor was not there before. */
  function add(project: number, day: number, page: number, visitor: Uint8Array, mask: number): number {
    const added = insertSeen.run(project, day, page, visitor, mask).changes
    if (added === 0) addMask.run(project, day, page, visitor, mask)
    return added
  }

  function count(
    projectId: string,
    { dateFrom, dateTo }: { dateFrom?: number; dateTo?: number },
    { limit, offset }: { limit: number; offset: number },
  ): UniqueVisitors {
    const project = findProject.get({ id: projectId })
    const range = {
      projectKey: project?.key ?? -1,
      dateFrom: dateFrom ?? Number.MIN_SAFE_INTEGER,
      dateTo: dateTo ?? Number.MAX_SAFE_INTEGER,
    }
    const { human = 0, ai = 0, total = 0 } = countSite.get(range) ?? {}
    const rows = countPages.all({ ...range, limit: limit + 1, offset })
    return { totals: { human, ai, total }, visitors: rows.slice(0, limit), hasMore: rows.length > limit }
  }

  const recordAll = database.transaction(record).immediate
  // One transaction: totals and pages are of the same instant, whatever an import writes meanwhile.
  const countAll = database.transaction(count)

  return {
    countUniqueVisitors: (projectId, range, page) => countAll(projectId, range, page),
    recordBatch: (projectId, batch) => recordAll(projectId, batch),
    openVisitorKey() {
      const file = join(dirname(database.name), 'visitor.key')
      if (!existsSync(file) && findAnySeen.get()) {
        throw new VisitorKeyError(
          `${file} is missing, though visitors were counted with it: with a new one, all of them would count again. ` +
            'Restore it from a backup.',
        )
      }
      try {
        return openSecret(file)
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        const reason =
          code === 'EACCES' ? `${file} may not be read or written. Give the user of this process access.` : message
        throw new VisitorKeyError(reason, { cause: error })
      }
    },
  }
}
