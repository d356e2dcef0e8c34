import { PageDirectory } from '../../analytics/counters/page-directory.ts'
import { toPageId } from '../../analytics/counters/page-id.ts'
import { isLabel } from '../../analytics/labels.ts'
import { BoundedCache } from '../../base/bounded-cache.ts'
import type { Database } from '../database.ts'

const maxKnown = 50_000

export type VisitPages = ReturnType<typeof openVisitPages>

/** The pages of a project. */
export function openVisitPages(database: Database) {
  const { findNumber, findId, hasId, insert, listPaths, listContaining, listIdsAfter, listByPath } =
    prepareStatements(database)
  const directory = new PageDirectory()
  /** The numbers of recent pages by path, and the ids of recent pages by number. */
  let known = new BoundedCache<string, number>(maxKnown)
  let knownIds = new BoundedCache<number, number>(maxKnown)

  function toNumber(path: string): number {
    const cached = known.get(path)
    if (cached !== undefined) return cached
    const number = findNumber.get(path) ?? add(path)
    known.set(path, number)
    return number
  }

  function add(path: string): number {
    const id = toPageId(path, taken => hasId.get(taken) !== undefined)
    return Number(insert.run(id, path).lastInsertRowid)
  }

  return {
    /** Returns the number of each path, and 0 for a label. New paths get the next numbers. */
    toNumbers: (paths: readonly string[]) => Uint32Array.from(paths, path => (isLabel(path) ? 0 : toNumber(path))),
    /** Returns the index of a page in the directory; undefined if there is none. */
    find: (path: string) => toIndex(findNumber.get(path)),
    idOf(number: number): number {
      const id = knownIds.get(number) ?? findId.get(number)
      if (id === undefined) throw new RangeError(`There is no page ${number}.`)
      knownIds.set(number, id)
      return id
    },
    /** Empties the caches after a transaction was rolled back. */
    forget(): void {
      known = new BoundedCache(maxKnown)
      knownIds = new BoundedCache(maxKnown)
    },
    /** Returns the number of the page at an index of the directory. */
    toNumber: (index: number) => index + 1,
    /**
     * Returns the path of each page.
     *
     * @throws {RangeError} when a page is missing
     */
    pathsOf(indexes: Uint32Array): string[] {
      const paths = listPaths.all(JSON.stringify([...indexes]))
      if (paths.length !== indexes.length) throw new RangeError('A page of the counters is missing.')
      return paths
    },
    /** Returns the pages whose path contains a text, in upper or lower case. */
    listContaining: (text: string) => new Set(listContaining.all(text.toLowerCase()).map(number => number - 1)),
    /** Returns all pages, numbered from 0. Called in a read transaction, so it has the same pages as the counters. */
    directory(): PageDirectory {
      for (const id of listIdsAfter.all(directory.size)) directory.add(id)
      return directory
    },
    listByPath: () => Uint32Array.from(listByPath.all(), number => number - 1),
  }
}

/** Page numbers begin with 1. */
function toIndex(number: number | undefined): number | undefined {
  return number && number - 1
}

function prepareStatements(database: Database) {
  return {
    findNumber: database.prepare<[string], number>('SELECT number FROM pages WHERE path = ?').pluck(),
    findId: database.prepare<[number], number>('SELECT id FROM pages WHERE number = ?').pluck(),
    hasId: database.prepare<[number], number>('SELECT 1 FROM pages WHERE id = ?').pluck(),
    insert: database.prepare<[number, string]>('INSERT INTO pages (id, path) VALUES (?, ?)'),
    // One statement for many pages takes a quarter of the time that a statement for each takes.
    listPaths: database
      .prepare<[string], string>(
        `SELECT pages.path FROM json_each(?) AS wanted CROSS JOIN pages ON pages.number = wanted.value + 1
         ORDER BY wanted.key`,
      )
      .pluck(),
    // Not LIKE, because _ and % stand in paths.
    listContaining: database
      .prepare<[string], number>('SELECT number FROM pages WHERE instr(lower(path), ?) > 0')
      .pluck(),
    listIdsAfter: database.prepare<[number], number>('SELECT id FROM pages WHERE number > ? ORDER BY number').pluck(),
    listByPath: database.prepare<[], number>('SELECT number FROM pages ORDER BY path').pluck(),
  }
}
