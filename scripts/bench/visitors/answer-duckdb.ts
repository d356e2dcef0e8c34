// Answers questions with DuckDB from its table of visits.
import { DuckDBInstance } from '@duckdb/node-api'
import { answerQuestions, readSettings } from './asked-process.ts'
import type { DuckDbQuery } from './duckdb.ts'
import type { Counts } from './truth.ts'

const queries: Record<DuckDbQuery, { site: string; pages: string }> = {
  'count-distinct': {
    site: `SELECT count(DISTINCT visitor) FILTER (mask & 1 <> 0), count(DISTINCT visitor) FILTER (mask & 2 <> 0),
      count(DISTINCT visitor) FROM visits WHERE day >= $from AND day < $to`,
    pages: `SELECT path, human, ai, total FROM (
      SELECT page, count(DISTINCT visitor) FILTER (mask & 1 <> 0) AS human,
        count(DISTINCT visitor) FILTER (mask & 2 <> 0) AS ai, count(DISTINCT visitor) AS total
      FROM visits WHERE day >= $from AND day < $to GROUP BY page) JOIN pages USING (page)
      ORDER BY total DESC, path LIMIT $limit OFFSET $offset`,
  },
  'group-by': {
    site: `SELECT count(*) FILTER (seen & 1 <> 0), count(*) FILTER (seen & 2 <> 0), count(*) FROM (
      SELECT bit_or(mask) AS seen FROM visits WHERE day >= $from AND day < $to GROUP BY visitor)`,
    pages: `SELECT path, human, ai, total FROM (
      SELECT page, count(*) FILTER (seen & 1 <> 0) AS human, count(*) FILTER (seen & 2 <> 0) AS ai, count(*) AS total FROM (
        SELECT page, bit_or(mask) AS seen FROM visits WHERE day >= $from AND day < $to GROUP BY page, visitor)
      GROUP BY page) JOIN pages USING (page)
      ORDER BY total DESC, path LIMIT $limit OFFSET $offset`,
  },
}

const { file, query } = readSettings<{ file: string; query: DuckDbQuery }>()
const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
const connection = await instance.connect()
const site = await connection.prepare(queries[query].site)
const pages = await connection.prepare(queries[query].pages)

answerQuestions(async ({ range: { from, to }, limit, offset }) => {
  site.bind({ from, to })
  pages.bind({ from, to, limit: limit + 1, offset })
  const [totals = []] = (await site.runAndReadAll()).getRows()
  const rows = (await pages.runAndReadAll()).getRows()
  return {
    site: totals.map(Number) as Counts,
    pages: rows
      .slice(0, limit)
      .map(([path, ...counts]) => ({ path: String(path), counts: counts.map(Number) as Counts })),
    hasMore: rows.length > limit,
  }
})
