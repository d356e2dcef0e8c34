import { PageDirectory } from '../../../analytics/counters/page-directory.ts'
import { toPageId } from '../../../analytics/counters/page-id.ts'
import { isLabel } from '../../../analytics/labels.ts'
import type { Database } from '../database.ts'
import { statement } from '../statement.ts'
import { toIntegers } from './binary-arrays.ts'
import { slowly } from './slowly.ts'

interface Page {
  number: number
  id: number
}

/** The pages of a batch. */
export interface BatchPages {
  /** The number of each path of the batch, and 0 for a label. */
  numbers: Uint32Array
  /** The ids of the pages by number. */
  ids: ReadonlyMap<number, number>
}

const idsPerStatement = 10_000
const pagesPerStatement = 100_000

const listByIds = slowly<{ project: number; ids: readonly number[] }, Page & { path: string }>(
  'SELECT number, id, path FROM pages WHERE project_key = @project AND id = ANY(@ids::bigint[])',
)
const findLast = slowly<{ project: number }, { last: number | null }>(
  'SELECT max(number) AS last FROM pages WHERE project_key = @project',
)
const insert = slowly<{ project: number; numbers: Buffer; ids: readonly number[]; paths: readonly string[] }>(
  `INSERT INTO pages (project_key, number, id, path)
   SELECT @project, * FROM unnest(@numbers::integer[], @ids::bigint[], @paths::text[])`,
)
// One text instead of a row for each page: there may be millions.
const listIds = slowly<{ project: number; after: number; limit: number }, { ids: Buffer | null }>(
  `SELECT string_agg(int8send(id), ''::bytea ORDER BY number) AS ids FROM pages
   WHERE project_key = @project AND number > @after AND number <= @after::integer + @limit::integer`,
)
const listByPath = slowly<{ project: number }, { numbers: Buffer | null }>(
  `SELECT string_agg(int4send(number), ''::bytea ORDER BY path) AS numbers FROM pages WHERE project_key = @project`,
)
const listPaths = statement<{ project: number; numbers: Buffer }, { path: string }>(
  `SELECT path FROM unnest(@numbers::integer[]) WITH ORDINALITY AS wanted (number, place)
   JOIN pages ON pages.project_key = @project AND pages.number = wanted.number ORDER BY place`,
)
// Not LIKE, because _ and % stand in paths.
const listContaining = slowly<{ project: number; text: string }, { number: number }>(
  'SELECT number FROM pages WHERE project_key = @project AND strpos(lower(path), @text) > 0',
)

/**
 * Returns the pages of the paths of a batch. New paths get the next numbers. Called with the lock of the project.
 *
 * @param known pages by path, which are not looked for
 */
export async function takePages(
  within: Database,
  project: number,
  paths: readonly string[],
  known: { get(path: string): Page | undefined },
): Promise<BatchPages & { found: ReadonlyMap<string, Page> }> {
  const found = new Map<string, Page>()
  const wanted: string[] = []
  for (const path of paths) {
    if (isLabel(path)) continue
    const page = known.get(path)
    if (page) found.set(path, page)
    else wanted.push(path)
  }
  if (wanted.length > 0) await findOrAdd(within, project, wanted, found)
  const pages = paths.map(path => found.get(path))
  return {
    numbers: Uint32Array.from(pages, page => page?.number ?? 0),
    ids: new Map(pages.flatMap(page => (page ? [[page.number, page.id]] : []))),
    found,
  }
}

async function findOrAdd(
  within: Database,
  project: number,
  wanted: readonly string[],
  found: Map<string, Page>,
): Promise<void> {
  const pathOf = new Map<number, string>()
  const asked = new Set<number>()
  // Another path may have the id of a page: then the next id is looked at, see `toPageId`. That takes another round.
  for (let left = wanted; left.length > 0; ) {
    const ids = left.map(path => toPageId(path, id => pathOf.has(id) && pathOf.get(id) !== path))
    const unknown = ids.filter(id => !asked.has(id))
    for (const id of unknown) asked.add(id)
    for (let from = 0; from < unknown.length; from += idsPerStatement) {
      const part = unknown.slice(from, from + idsPerStatement)
      for (const { number, id, path } of await within.all(listByIds, { project, ids: part })) {
        pathOf.set(id, path)
        found.set(path, { number, id })
      }
    }
    // A new page takes its id at once, so that another new page does not.
    for (const [i, path] of left.entries()) {
      const id = ids[i] as number
      if (!pathOf.has(id)) pathOf.set(id, path)
    }
    left = left.filter((path, i) => pathOf.get(ids[i] as number) !== path)
  }
  const idOf = new Map(Array.from(pathOf, ([id, path]) => [path, id]))
  await add(
    within,
    project,
    wanted.filter(path => !found.has(path)).map(path => ({ path, id: idOf.get(path) as number })),
    found,
  )
}

async function add(
  within: Database,
  project: number,
  pages: readonly { path: string; id: number }[],
  found: Map<string, Page>,
): Promise<void> {
  if (pages.length === 0) return
  const last = (await within.get(findLast, { project }))?.last ?? 0
  const numbers = pages.map((_, i) => last + 1 + i)
  for (let from = 0; from < pages.length; from += idsPerStatement) {
    const part = pages.slice(from, from + idsPerStatement)
    await within.run(insert, {
      project,
      numbers: toIntegers(numbers.slice(from, from + part.length)),
      ids: part.map(({ id }) => id),
      paths: part.map(({ path }) => path),
    })
  }
  for (const [i, { path, id }] of pages.entries()) found.set(path, { number: numbers[i] as number, id })
}

/** All pages of a project, numbered from 0 as in `PageDirectory`. */
export interface ReadPages {
  directory: PageDirectory
  /** The pages in the order of their paths, and the rank of each. */
  ranks: ReturnType<PageDirectory['ranks']>
}

/**
 * Keeps the pages of a project for its readers, because there may be millions. One reader at a time calls `read`, in the transaction that
 * reads the counters.
 */
export class KnownPages {
  readonly #project: number
  #directory = new PageDirectory()
  #byPath = new Uint32Array()

  constructor(project: number) {
    this.#project = project
  }

  async readDirectory(within: Database): Promise<PageDirectory> {
    const project = this.#project
    for (;;) {
      const after = this.#directory.size
      const { ids } = (await within.get(listIds, { project, after, limit: pagesPerStatement })) ?? {}
      if (!ids) return this.#directory
      for (let at = 0; at < ids.length; at += 8) this.#directory.add(Number(ids.readBigUInt64BE(at)))
    }
  }

  async read(within: Database): Promise<ReadPages> {
    const directory = await this.readDirectory(within)
    if (this.#byPath.length !== directory.size) {
      const { numbers } = (await within.get(listByPath, { project: this.#project })) ?? {}
      const byPath = new Uint32Array(directory.size)
      for (let i = 0; i < byPath.length; i++) byPath[i] = (numbers as Buffer).readInt32BE(i * 4) - 1
      this.#byPath = byPath
    }
    return { directory, ranks: directory.ranks(() => this.#byPath) }
  }
}

/**
 * Returns the path of each page. Needs no transaction, because the path of a page never changes and pages are never deleted.
 *
 * @throws {RangeError} when a page is missing
 */
export async function pathsOf(database: Database, project: number, indexes: Uint32Array): Promise<string[]> {
  const rows = await database.all(listPaths, { project, numbers: toIntegers(indexes.map(index => index + 1)) })
  if (rows.length !== indexes.length) throw new RangeError('A page of the counters is missing.')
  return rows.map(({ path }) => path)
}

/** Returns the index of each page in its directory; undefined if there is none. */
export async function findPages(
  database: Database,
  project: number,
  paths: readonly string[],
): Promise<(number | undefined)[]> {
  const found = new Map<string, number>()
  const taken = new Set<number>()
  // Another page may have the id of a path, see `toPageId`. Then the next id is looked at.
  for (let left = paths; left.length > 0; ) {
    const ids = left.map(path => toPageId(path, id => taken.has(id)))
    const rows = await database.all(listByIds, { project, ids })
    for (const { path, number } of rows) found.set(path, number - 1)
    const pathOf = new Map(rows.map(({ id, path }) => [id, path]))
    left = left.filter((path, i) => pathOf.has(ids[i] as number) && !found.has(path))
    for (const { id } of rows) taken.add(id)
  }
  return paths.map(path => found.get(path))
}

/** Returns the index of a page in its directory; undefined if there is none. */
export async function findPage(database: Database, project: number, path: string): Promise<number | undefined> {
  return (await findPages(database, project, [path]))[0]
}

/** Returns the pages whose path contains a text, in upper or lower case. */
export async function listPagesContaining(database: Database, project: number, text: string): Promise<Set<number>> {
  const rows = await database.all(listContaining, { project, text: text.toLowerCase() })
  return new Set(rows.map(({ number }) => number - 1))
}
